import type { JSX } from 'preact';
import { formatPercent } from '../format.ts';

export interface ShareProps {
  /** 1 is 100 per cent; the share may be larger. */
  readonly share: number;
  /** What it is a share of, for screen readers: `of the target of a partition`. */
  readonly of: string;
}

const width = 72;

/** A share as a bar and in per cent. The colour tells whether it is near its limit or beyond it. */
export function Share({ share, of }: ShareProps): JSX.Element {
  const tone = share >= 1 ? 'error' : share >= 0.7 ? 'warning' : 'good';
  return (
    <span class={`share ${tone}`}>
      <svg viewBox={`0 0 ${width} 8`} width={width} height={8} aria-hidden="true" focusable="false">
        <rect class="share-all" width={width} height={8} rx={4} />
        <rect class="share-part" width={Math.max(share > 0 ? 3 : 0, Math.min(1, share) * width)} height={8} rx={4} />
      </svg>
      <span>{formatPercent(share)}</span>
      <span class="visually-hidden"> {of}</span>
    </span>
  );
}
