import type { JSX } from 'preact';
import type { HeatReport } from '../../../control/observe/heat-report.ts';
import { formatRate, formatTime } from '../../format.ts';
import type { MapFrame, MapPlace } from './draw-map.ts';
import { valuesAt } from './heat-matrix.ts';
import { RangeName } from './range-name.tsx';

export interface PlaceCardProps {
  readonly report: HeatReport;
  readonly place: MapPlace;
  readonly endMs: number;
  /** Below the cell, in pixels. */
  readonly at: { readonly x: number; readonly y: number };
  readonly frame: MapFrame;
}

const cardWidth = 260;
const cardHeight = 120;

/** What happened in a cell, shown next to it. */
export function PlaceCard({ report, place, endMs, at, frame }: PlaceCardProps): JSX.Element | null {
  const row = report.rows[place.row];
  if (!row) return null;
  const { units, requests, refusals, wouldThrottle } = valuesAt(report, place);
  const seconds = report.columnMs / 1000;
  const beginMs = endMs - (report.columns - place.column) * report.columnMs;
  const x = Math.min(at.x + 14, frame.width - cardWidth);
  const above = at.y - cardHeight - 20;
  // Below or above the cell, not over it. A map of few rows has no room for either: the card then goes below the map.
  const y = at.y + cardHeight <= frame.bottom ? at.y + 8 : above >= 0 ? above : frame.bottom + 8;
  return (
    <div class="heat-card" style={{ transform: `translate(${Math.round(x)}px, ${Math.round(y)}px)` }}>
      <p class="heat-card-name">
        <RangeName {...row} />
      </p>
      <p class="muted">
        {formatTime(beginMs)} to {formatTime(beginMs + report.columnMs)}
      </p>
      <p>
        {formatRate(requests / seconds)} requests a second, {formatRate(units / seconds)} units a second
        {refusals > 0 && `, ${formatRate(refusals)} refused`}
        {wouldThrottle > 0 && `, ${formatRate(wouldThrottle)} would be refused`}
      </p>
    </div>
  );
}
