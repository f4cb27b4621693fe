import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { announce } from '../announce.ts';
import { Icon } from './icon.tsx';

export interface CopyButtonProps {
  readonly text: string | (() => string);
  /** What is copied: `connection string`. */
  readonly what: string;
  /** Whether the button shows the words "Copy …" next to the icon. */
  readonly isWordy?: boolean;
}

const shownMs = 1_500;

export function CopyButton({ text, what, isWordy = false }: CopyButtonProps): JSX.Element {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    try {
      await copyText(typeof text === 'string' ? text : text());
    } catch {
      announce(`The browser did not allow copying the ${what}.`, 'failed');
      return;
    }
    announce(`Copied the ${what}.`);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, shownMs);
  };
  const label = `Copy ${what}`;
  return (
    <button
      type="button"
      class={isWordy ? 'button plain' : 'icon-button'}
      title={label}
      aria-label={isWordy ? undefined : label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied.value ? 'check' : 'copy'} size={16} />
      {isWordy && <span>{label}</span>}
    </button>
  );
}

/** A page from another machine over plain HTTP has no clipboard API. There, the old copy command still works. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) throw new Error('not copied');
}
