// Short messages about what happened. The messages disappear by themselves. Screen readers announce them, because the
// messages are in a live region.

import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

export const toasts = signal<readonly Toast[]>([]);

const shownMs = 6_000;
const toastsMax = 4;
let lastId = 0;

/** Shows what was done: "Table pets deleted". */
export function announce(text: string, kind: Toast['kind'] = 'done'): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, kind, text }].slice(-toastsMax);
  setTimeout(() => dismiss(id), shownMs);
}

/** Shows the message of an error. */
export function announceFailure(error: unknown): void {
  announce(error instanceof Error ? error.message : String(error), 'failed');
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
