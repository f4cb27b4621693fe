import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TraceVerdict } from '../../../advisor/advisor.ts';
import { api } from '../../client/api.ts';
import { Badge } from '../../components/badge.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatDuration, formatNumber } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { savingText } from '../advisor/findings.tsx';
import type { TraceGroup } from './trace-groups.ts';
import { TraceLink } from './trace-link.tsx';
import { operationsText } from './trace-list.tsx';

/** The requests of a trace arrive one after another. The advisor is asked when none has arrived for this long. */
const settleMs = 500;

export interface TraceCardProps {
  readonly traceId: string;
  /** The requests of the trace that are in the list; undefined if there are none. */
  readonly group: TraceGroup | undefined;
}

/** What one trace did, and what the advisor says of it. */
export function TraceCard({ traceId, group }: TraceCardProps): JSX.Element {
  const verdict = useSignal<TraceVerdict | undefined>(undefined);
  const requests = group?.requests ?? 0;
  useEffect(() => {
    // The trace id comes from the address, which may hold anything.
    if (!/^[0-9a-f]{32}$/.test(traceId)) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      // With --no-advisor, this fails.
      api<TraceVerdict>(`advisor/traces/${encodeURIComponent(traceId)}`, { signal: abort.signal }).then(
        (found) => (verdict.value = found),
        () => (verdict.value = undefined),
      );
    }, settleMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [traceId, requests, verdict]);
  const findings = verdict.value?.traceId === traceId ? verdict.value.findings : [];
  const saved = Math.max(0, ...findings.map(({ cost }) => cost.roundTrips));
  return (
    <section class="card traffic-trace" aria-label="Trace">
      <h2>
        Trace{' '}
        <span class="mono">
          <Text text={traceId} charsMax={64} />
        </span>
      </h2>
      <p>
        {group ? (
          <>
            {formatCount(requests, 'request')} in {formatDuration(group.toMs - group.fromMs)}
            {group.refused > 0 && `, ${formatNumber(group.refused)} refused`}: {operationsText(group.operations)}.{' '}
            {saved > 0 && <strong>{formatCount(saved, 'round trip')} could be saved.</strong>}{' '}
          </>
        ) : (
          'None of its requests is in the list. '
        )}
        <TraceLink traceId={traceId} /> <a href={hrefOf(['traffic'], { group: 'trace' })}>All traces</a>{' '}
        <a href={hrefOf(['traffic'])}>All requests</a>
      </p>
      {findings.map(({ rule, severity, table, count, advice, cost }) => (
        <p key={`${rule}/${table}`} class="traffic-trace-finding">
          <Badge tone={severity}>{severity}</Badge> <code>{rule}</code>
          {table !== null && (
            <>
              {' in '}
              <Text text={table} />
            </>
          )}
          , {formatCount(count, 'time')}: {advice.replaceAll('`', '')}{' '}
          {savingText(cost) !== '' && <span class="muted">Saves about {savingText(cost)}.</span>}
        </p>
      ))}
    </section>
  );
}
