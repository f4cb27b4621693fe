import type { JSX } from 'preact';
import type { LiveRequest } from '../../../control/observe/live-request.ts';
import { Text } from '../../components/text.tsx';

export interface HeaderListProps {
  readonly title: string;
  readonly headers: LiveRequest['requestHeaders'];
  readonly hint?: string;
}

const valueCharsMax = 4_096;

export function HeaderList({ title, headers, hint }: HeaderListProps): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      {hint && headers.length > 0 && <p class="hint">{hint}</p>}
      {headers.length === 0 ? (
        <p class="muted">There was none: the connection was closed without a response.</p>
      ) : (
        <dl class="facts headers">
          {headers.map(([name, value], at) => (
            <div key={at}>
              <dt class="mono">
                <Text text={name} />
              </dt>
              <dd class="mono">
                <Text text={value} charsMax={valueCharsMax} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
