import type { JSX } from 'preact';
import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { LiveRequest } from '../../../control/observe/live-request.ts';
import type { FaultRule } from '../../../faults/fault-rule.ts';
import { RuleList } from '../../../faults/rule-list.ts';
import { listen } from '../../client/events.ts';
import { Badge } from '../../components/badge.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatNumber } from '../../format.ts';
import { formatInstant } from '../traffic/request-text.ts';
import { tableOfRequest } from '../traffic/traffic-filter.ts';
import { type LiveRequests, type TrafficRow, trafficLog } from '../traffic/traffic-log.ts';
import { subjectOf } from './live-subject.ts';

const shownMax = 6;

/** Which of the requests seen by the console the rule would have struck. */
export function Preview({ rule }: { readonly rule: FaultRule }): JSX.Element {
  const rows = useRequests();
  const found = useMemo(() => foundIn(rows, rule), [rows, JSON.stringify(rule)]);
  const struck = found.filter(({ isStruck }) => isStruck).length;
  if (rows.length === 0) {
    return <p class="muted">No requests yet. The rule is tried on each request that arrives while this is open.</p>;
  }
  return (
    <div class="fault-preview stack" aria-live="polite">
      <p>
        Of the last {formatCount(rows.length, 'request')} it matches {formatNumber(found.length)}, and would have struck{' '}
        <strong>{formatNumber(struck)}</strong>.
      </p>
      {found.length > 0 && (
        <DataTable<Found>
          caption="The last requests that match"
          rows={shownOf(found)}
          keyOf={({ row }) => String(row.number)}
          columns={[
            { name: 'Time', cell: ({ row: { request } }) => formatInstant(request.atMs) },
            { name: 'Operation', cell: ({ row: { request } }) => request.operation },
            { name: 'Entity', cell: ({ row: { request } }) => <Place request={request} /> },
            {
              name: 'Outcome',
              isHeaderHidden: true,
              cell: ({ isStruck }) => (isStruck ? <Badge tone="error">struck</Badge> : <Badge>let pass</Badge>),
            },
          ]}
        />
      )}
    </div>
  );
}

interface Found {
  readonly row: TrafficRow;
  readonly isStruck: boolean;
}

/** The newest requests first. If there is not room for all, requests that the rule would have struck are preferred. */
function shownOf(found: readonly Found[]): readonly Found[] {
  const [struck, passed] = [true, false].map((isStruck) => found.filter((one) => one.isStruck === isStruck));
  const shown = [...(passed ?? []), ...(struck ?? [])].slice(-shownMax);
  return shown.sort((a, b) => b.row.number - a.row.number);
}

/**
 * Tries the rule as if it had been in force since the first request. With a probability, the real rule would have
 * struck other requests, but about as many.
 */
function foundIn(rows: readonly TrafficRow[], rule: FaultRule): readonly Found[] {
  const rules = new RuleList({ seed: 0 });
  rules.add([rule]);
  let matched = 0;
  return rows.flatMap((row) => {
    const isStruck = rules.choose(subjectOf(row.request)) !== undefined;
    const before = matched;
    matched = rules.list()[0]?.matched ?? 0;
    return matched > before ? [{ row, isStruck }] : [];
  });
}

function useRequests(): readonly TrafficRow[] {
  const [, update] = useReducer((times: number) => times + 1, 0);
  useEffect(
    () =>
      listen({
        topics: ['requests'],
        onEvent: (_name, data) => {
          trafficLog.add(data as LiveRequests);
          update(undefined);
        },
      }),
    [],
  );
  return trafficLog.rows;
}

function Place({ request }: { readonly request: LiveRequest }): JSX.Element | null {
  const { partitionKey, rowKey } = request.partitionKey === undefined ? (request.members?.[0] ?? {}) : request;
  const texts = [tableOfRequest(request), partitionKey, rowKey].filter((text) => text !== undefined);
  return (
    <>
      {texts.map((text, at) => (
        <span key={at}>
          {at > 0 && ' / '}
          <Text text={text} charsMax={60} />
        </span>
      ))}
    </>
  );
}
