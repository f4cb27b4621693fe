import type { JSX } from 'preact';
import type { PlanKind } from '../../../query/plan.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { formatCount, formatDuration, formatNumber } from '../../format.ts';
import type { QueryRun } from './run-query.ts';

/** The colours of the plans, from cheap to expensive. */
export const planTones: Readonly<Record<PlanKind, Tone>> = {
  point: 'good',
  range: 'good',
  'partition scan': 'note',
  'table scan': 'warning',
};

export interface RunSummaryProps {
  readonly run: QueryRun;
  readonly onShowPlan: () => void;
}

/** The figures of a query in a line. */
export function RunSummary({ run, onShowPlan }: RunSummaryProps): JSX.Element | null {
  const report = run.report.value;
  if (!report) return null;
  const { kind, visited, returned, units, pages, durationMs } = report;
  return (
    <div class="run-summary" role="status">
      {kind && <Badge tone={planTones[kind]}>{kind}</Badge>}
      <span>
        <strong>{formatNumber(visited)}</strong> visited for <strong>{formatNumber(returned)}</strong> returned
      </span>
      <span>{formatCount(pages, 'page')}</span>
      {units !== undefined && <span>{formatCount(units, 'unit')}</span>}
      <span>{formatDuration(durationMs)}</span>
      <button type="button" class="button quiet" onClick={onShowPlan}>
        Show the plan
      </button>
    </div>
  );
}
