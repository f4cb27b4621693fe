import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { listen, type StreamState } from '../client/events.ts';
import { PageHeader } from '../components/page-header.tsx';
import { type PageProps, replaceQuery } from '../router.ts';
import { TrafficDetails } from './traffic/details.tsx';
import { TrafficList } from './traffic/list.tsx';
import { TraceCard } from './traffic/trace-card.tsx';
import { groupByTrace } from './traffic/trace-groups.ts';
import { TraceList } from './traffic/trace-list.tsx';
import { TrafficBar } from './traffic/traffic-bar.tsx';
import {
  choicesOf,
  type StatusClass,
  statusClasses,
  type TrafficFilter,
  visibleRows,
} from './traffic/traffic-filter.ts';
import { type LiveRequests, trafficLog as log, type TrafficRow } from './traffic/traffic-log.ts';
import { TrafficStatus } from './traffic/traffic-status.tsx';

/** Requests as they are answered, the newest first. */
export function TrafficPage({ route }: PageProps): JSX.Element {
  const version = useSignal(0);
  const state = useSignal<StreamState>('connecting');
  const selected = useSignal<TrafficRow | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  const update = (): void => {
    version.value += 1;
  };
  useEffect(
    () =>
      listen({
        topics: ['requests'],
        onEvent: (_name, data) => {
          log.add(data as LiveRequests);
          version.value += 1;
        },
        onState: (next) => {
          state.value = next;
        },
      }),
    [version, state],
  );
  const filter = filterOf(route.query);
  const { text, status, operation, table, trace } = filter;
  const isGrouped = route.query.get('group') === 'trace' && trace === '';
  const { rows } = log;
  const shown = useMemo(
    () => visibleRows(rows, { text, status, operation, table, trace }),
    [rows, text, status, operation, table, trace],
  );
  const choices = useMemo(() => choicesOf(rows, filter), [rows, operation, table]);
  const close = (): void => {
    selected.value = undefined;
    list.current?.focus();
  };
  const togglePause = (): void => {
    if (log.isPaused) log.resume();
    else log.pause();
    update();
  };
  return (
    <div class="traffic" data-version={version.value}>
      <PageHeader
        title="Traffic"
        description="Requests to the table service as they are answered, with what each cost and why it was refused."
      />
      <TrafficBar
        filter={filter}
        choices={choices}
        log={log}
        shown={shown}
        isGrouped={isGrouped}
        onFilter={(next) => replaceQuery({ ...next, group: isGrouped ? 'trace' : undefined })}
        onGroup={() => replaceQuery({ ...filter, trace: undefined, group: isGrouped ? undefined : 'trace' })}
        onPause={togglePause}
        onClear={() => {
          log.clear();
          selected.value = undefined;
          update();
        }}
      />
      <TrafficStatus log={log} shown={shown.length} state={state.value} />
      {trace !== '' && <TraceCard traceId={trace} group={groupByTrace(shown)[0]} />}
      {isGrouped ? (
        <TraceList rows={shown} />
      ) : (
        <TrafficList
          rows={shown}
          isFiltered={rows.length > 0}
          selected={selected.value}
          scroller={list}
          onSelect={(row) => {
            selected.value = row;
          }}
          onClose={close}
          onPause={togglePause}
        />
      )}
      {selected.value && !isGrouped && (
        <TrafficDetails key={selected.value.number} request={selected.value.request} onClose={close} />
      )}
    </div>
  );
}

function filterOf(query: URLSearchParams): TrafficFilter {
  const status = statusClasses.find((name): name is StatusClass => name === query.get('status')) ?? '';
  const textOf = (name: string): string => query.get(name) ?? '';
  return {
    text: textOf('text'),
    status,
    operation: textOf('operation'),
    table: textOf('table'),
    trace: textOf('trace'),
  };
}
