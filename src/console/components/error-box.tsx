import type { ComponentChildren, JSX } from 'preact';
import { ServiceRefusal } from '../../data/table-client.ts';
import { ApiError } from '../client/api.ts';
import { visibleText } from '../format.ts';
import { Icon } from './icon.tsx';

export interface ErrorBoxProps {
  readonly error: unknown;
  /** A button with which the user can do something about the error. */
  readonly children?: ComponentChildren;
}

/** A failure: its message, its code and, for a refusal by the service, the reason. */
export function ErrorBox({ error, children }: ErrorBoxProps): JSX.Element {
  const message = error instanceof Error ? error.message : String(error);
  const why = error instanceof ServiceRefusal ? error.reasons : [];
  const code = codeOf(error);
  return (
    <div class="error-box" role="alert">
      <Icon name="error" />
      <div>
        <p>
          {code !== undefined && <code>{code}</code>} <bdi>{visibleText(message)}</bdi>
        </p>
        {why.map((sentence) => (
          <p key={sentence} class="muted">
            <bdi>{visibleText(sentence)}</bdi>
          </p>
        ))}
        {children}
      </div>
    </div>
  );
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof ServiceRefusal) return `${error.status} ${error.code}`;
  return error instanceof ApiError && error.status > 0 ? error.code : undefined;
}
