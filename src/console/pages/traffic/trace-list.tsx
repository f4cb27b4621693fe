import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatDuration, formatNumber } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { formatInstant } from './request-text.ts';
import { groupByTrace, type TraceGroup } from './trace-groups.ts';
import { TraceLink } from './trace-link.tsx';
import type { TrafficRow } from './traffic-log.ts';

/** Maximum number of traces in the list. The search finds older ones. */
const tracesMax = 100;

const columns = [
  { name: 'Time', cell: ({ fromMs }: TraceGroup) => formatInstant(fromMs) },
  {
    name: 'Trace',
    cell: ({ traceId }: TraceGroup) => (
      <a class="mono" href={hrefOf(['traffic'], { trace: traceId })}>
        {traceId.slice(0, 8)}…
      </a>
    ),
  },
  { name: 'Requests', isNumber: true, cell: ({ requests }: TraceGroup) => formatNumber(requests) },
  { name: 'Refused', isNumber: true, cell: ({ refused }: TraceGroup) => formatNumber(refused) },
  { name: 'Duration', isNumber: true, cell: ({ fromMs, toMs }: TraceGroup) => formatDuration(toMs - fromMs) },
  { name: 'Operations', cell: ({ operations }: TraceGroup) => operationsText(operations) },
  { name: 'Tables', cell: ({ tables }: TraceGroup) => <Text text={tables.join(', ')} charsMax={120} /> },
  { name: 'Viewer', cell: ({ traceId }: TraceGroup) => <TraceLink traceId={traceId} /> },
];

export const operationsText = (operations: TraceGroup['operations']): string =>
  operations.map(([operation, requests]) => `${formatNumber(requests)} ${operation}`).join(', ');

/** What each page, job or test of the program sent, the newest first. */
export function TraceList({ rows }: { readonly rows: readonly TrafficRow[] }): JSX.Element {
  const groups = useMemo(() => groupByTrace(rows), [rows]);
  if (groups.length === 0) {
    return (
      <Empty icon="pulse" title="No request names a trace">
        <p>
          Requests that carry the header traceparent are grouped here: a program that records with OpenTelemetry sends
          it.
        </p>
      </Empty>
    );
  }
  return (
    <div class="card traffic-traces">
      <DataTable
        caption="Traces, the newest first"
        columns={columns}
        rows={groups.slice(0, tracesMax)}
        keyOf={({ traceId }) => traceId}
      />
      {groups.length > tracesMax && (
        <p class="hint">{formatCount(groups.length - tracesMax, 'older trace')} not shown.</p>
      )}
    </div>
  );
}
