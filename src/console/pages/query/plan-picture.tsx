import type { JSX } from 'preact';
import type { PlanKind } from '../../../query/plan.ts';
import { formatNumber } from '../../format.ts';
import type { RunReport } from './run-query.ts';

export interface PlanPictureProps {
  readonly kind: PlanKind;
  readonly bounds: readonly string[];
  /** How many partitions the table has; undefined if that is not known. */
  readonly partitions: number | undefined;
  readonly report: RunReport | undefined;
}

const partitionsMax = 9;
const rows = 7;
const [width, partitionWidth, gap] = [720, 72, 9];

/**
 * A table as boxes in key order, one box for each partition. The lines in a box are rows. Boxes and rows that the query
 * visits are marked. Bars below show how many entities the query visited and how many of them it returned. The boxes show
 * the partitions of a small table, not to scale. The bars are to scale.
 */
export function PlanPicture({ kind, bounds, partitions, report }: PlanPictureProps): JSX.Element {
  const isAll = partitions !== undefined && partitions > 0 && partitions <= partitionsMax;
  const shown = isAll ? partitions : partitionsMax;
  const height = report ? 196 : 118;
  return (
    <svg class="plan-picture" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={spoken(kind, report)}>
      <text class="plan-label" x="0" y="12">
        {isAll ? labelOf(partitions) : 'Partitions of the table, in the order of PartitionKey'}
      </text>
      {Array.from({ length: shown }, (_, at) => (
        <Partition key={at} at={at} of={shown} kind={kind} bounds={bounds} />
      ))}
      {report && <Bars report={report} />}
    </svg>
  );
}

const labelOf = (partitions: number): string =>
  partitions === 1
    ? 'The only partition of the table'
    : `The ${partitions} partitions of the table, in the order of PartitionKey`;

function spoken(kind: PlanKind, report: RunReport | undefined): string {
  const what = { point: 'one row of one partition', range: 'some rows of one partition' };
  const visits =
    kind === 'point' || kind === 'range' ? what[kind] : kind === 'partition scan' ? 'one partition' : 'the table';
  const figures = report
    ? `: ${formatNumber(report.visited)} entities visited for ${formatNumber(report.returned)} returned`
    : '';
  return `Picture of the plan: the query visits ${visits}${figures}.`;
}

interface PartitionProps {
  readonly at: number;
  /** Partitions in the picture. */
  readonly of: number;
  readonly kind: PlanKind;
  readonly bounds: readonly string[];
}

function Partition({ at, of, kind, bounds }: PartitionProps): JSX.Element {
  const x = at * (partitionWidth + gap);
  const isVisited = (row: number): boolean => visits({ at, of, kind, bounds }, row);
  const isAnyVisited = Array.from({ length: rows }, (_, row) => isVisited(row)).some(Boolean);
  return (
    <g class={isAnyVisited ? 'plan-partition visited' : 'plan-partition'}>
      <rect x={x + 0.5} y="22.5" width={partitionWidth - 1} height="84" rx="6" />
      {Array.from({ length: rows }, (_, row) => (
        <rect
          key={row}
          class={isVisited(row) ? 'plan-row visited' : 'plan-row'}
          x={x + 10}
          y={32 + row * 10}
          width={partitionWidth - 20}
          height="5"
          rx="2.5"
        />
      ))}
    </g>
  );
}

function visits({ at, of, kind, bounds }: PartitionProps, row: number): boolean {
  if (kind === 'table scan') return isInBounds({ at, of, bounds });
  // The box in the middle represents the partition that the filter names.
  if (at !== Math.floor(of / 2)) return false;
  if (kind === 'partition scan') return true;
  return kind === 'point' ? row === 3 : row >= 2 && row <= 4;
}

/** A scan may be bounded at either end. */
function isInBounds({ at, of, bounds }: Omit<PartitionProps, 'kind'>): boolean {
  const outside = Math.min(2, Math.floor((of - 1) / 2));
  const isBoundedBy = (operators: RegExp): boolean =>
    bounds.some((bound) => bound.startsWith('PartitionKey ') && operators.test(bound.slice('PartitionKey '.length)));
  if (isBoundedBy(/^g[et] /) && at < outside) return false;
  return !(isBoundedBy(/^l[et] /) && at >= of - outside);
}

function Bars({ report: { visited, returned } }: { readonly report: RunReport }): JSX.Element {
  const [labelWidth, numberWidth] = [76, 110];
  const full = width - labelWidth - numberWidth;
  const lengthOf = (count: number): number =>
    visited === 0 ? 0 : Math.max(count > 0 ? 2 : 0, (count / visited) * full);
  return (
    <g>
      {[
        { name: 'Visited', count: visited, y: 128 },
        { name: 'Returned', count: returned, y: 162 },
      ].map(({ name, count, y }) => (
        <g key={name}>
          <text class="plan-label" x="0" y={y + 15}>
            {name}
          </text>
          <rect class="plan-track" x={labelWidth} y={y} width={full} height="20" rx="4" />
          <rect
            class={`plan-bar ${name.toLowerCase()}`}
            x={labelWidth}
            y={y}
            width={lengthOf(count)}
            height="20"
            rx="4"
          />
          <text class="plan-number" x={labelWidth + full + 10} y={y + 15}>
            {formatNumber(count)}
          </text>
        </g>
      ))}
    </g>
  );
}
