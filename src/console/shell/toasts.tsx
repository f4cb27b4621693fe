import type { JSX } from 'preact';
import { dismiss, toasts } from '../announce.ts';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { visibleText } from '../format.ts';

/** The region exists from the start, because a screen reader announces only text that is added to it later. */
export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'error'} size={16} />
          <bdi>{visibleText(text)}</bdi>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
