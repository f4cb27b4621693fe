import type { JSX } from 'preact';
import type { ShownEntity, TypedText, WrittenEntity } from '../../client/edm.ts';
import { shortType } from '../../components/grid/grid-row.tsx';
import { Icon } from '../../components/icon.tsx';
import { Text } from '../../components/text.tsx';
import { formatMoment } from '../../format.ts';
import { changesOf } from './entity-draft.ts';

export interface ConflictViewProps {
  /** As it was when the editor was opened. */
  readonly before: ShownEntity;
  readonly yours: WrittenEntity;
  /** As it is now. */
  readonly theirs: ShownEntity;
}

/** The changes of both sides since the editor was opened. */
export function ConflictView({ before, yours, theirs }: ConflictViewProps): JSX.Element {
  const changes = changesOf({ before, yours, theirs });
  return (
    <section class="conflict" aria-labelledby="conflict-title">
      <div class="conflict-head">
        <Icon name="warning" />
        <div>
          <h3 id="conflict-title">Somebody else changed this entity</h3>
          <p>
            It was written at {formatMoment(theirs.timestamp)}, after you opened it. Its ETag has therefore changed, and
            the service refused your change: <code>412 UpdateConditionNotSatisfied</code>.
          </p>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached with the keyboard */}
      <section class="table-scroll" tabIndex={0} aria-label="What changed">
        <table class="data-table">
          <thead>
            <tr>
              <th scope="col">Property</th>
              <th scope="col">Before</th>
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ name, before: was, yours: mine, theirs: other }) => (
              <tr key={name}>
                <th scope="row">
                  <Text text={name} />
                </th>
                <Side value={was} before={was} />
                <Side value={mine} before={was} />
                <Side value={other} before={was} />
              </tr>
            ))}
          </tbody>
        </table>
        {changes.length === 0 && (
          <p class="muted">Its properties are the same as before; only its timestamp has changed.</p>
        )}
      </section>
    </section>
  );
}

interface SideProps {
  readonly value: TypedText | undefined;
  readonly before: TypedText | undefined;
}

function Side({ value, before }: SideProps): JSX.Element {
  const isSame = value?.type === before?.type && value?.text === before?.text;
  return (
    <td class={isSame ? undefined : 'changed'}>
      {value ? (
        <>
          <Text text={value.text} charsMax={200} /> <span class="muted">{shortType(value.type)}</span>
        </>
      ) : (
        <span class="empty-value">none</span>
      )}
    </td>
  );
}
