import type { ComponentChildren, JSX } from 'preact';

export type Tone = 'neutral' | 'good' | 'note' | 'warning' | 'error' | 'accent';

export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export interface StatProps {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly tone?: Tone;
}

/** A figure with its name. */
export function Stat({ label, value, hint, tone = 'neutral' }: StatProps): JSX.Element {
  return (
    <div class={`stat ${tone}`}>
      <dt>{label}</dt>
      <dd class="stat-value">{value}</dd>
      {hint && <dd class="stat-hint">{hint}</dd>}
    </div>
  );
}
