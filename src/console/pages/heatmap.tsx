import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { HeatReport } from '../../control/observe/heat-report.ts';
import { api } from '../client/api.ts';
import { accountOr } from '../client/emulator.ts';
import { Button } from '../components/button.tsx';
import { Empty, Loading } from '../components/empty.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { formatCount, formatPercent, visibleText } from '../format.ts';
import { hrefOf, navigate, type PageProps, type Route } from '../router.ts';
import { HeatBar, periods } from './heatmap/heat-bar.tsx';
import { HeatCanvas } from './heatmap/heat-canvas.tsx';
import { hottestRows, type Measure, matrixOf, measureNames, measures } from './heatmap/heat-matrix.ts';
import { HottestTable } from './heatmap/hottest-table.tsx';
import { Legend } from './heatmap/legend.tsx';
import { Signs } from './heatmap/signs.tsx';
import { partitionsFilter } from './key-filter.ts';

/** Where and when the keys of a table are used: time from left to right, keys from top to bottom, load as brightness. */
export function HeatMapPage({ route }: PageProps): JSX.Element {
  const view = viewOf(route);
  const isPaused = useSignal(false);
  const { heat, fault } = useHeat(view, isPaused.value);
  const go = (change: Partial<View>): void => {
    const { account, table, by, minutes } = { ...view, ...change };
    navigate(['heatmap', account, ...(table === undefined ? [] : [table])], { by, minutes });
  };
  return (
    <>
      <PageHeader
        title="Heat map"
        description="Time goes from left to right, partition keys from top to bottom; the brighter, the more load. The emulator always counts, so the last half hour is always there."
      />
      <HeatBar
        account={view.account}
        report={heat?.report}
        measure={view.by}
        minutes={view.minutes}
        isPaused={isPaused.value}
        onAccount={(account) => go({ account, table: undefined })}
        onTable={(table) => go({ table })}
        onMeasure={(by) => go({ by })}
        onMinutes={(minutes) => go({ minutes })}
        onPause={() => {
          isPaused.value = !isPaused.value;
        }}
      />
      {fault !== undefined && <ErrorBox error={fault} />}
      {heat ? <HeatView heat={heat} view={view} /> : fault === undefined && <Loading what="Loading the map" />}
    </>
  );
}

/** What the address of the page says. */
interface View {
  readonly account: string;
  /** Undefined for the busiest table. */
  readonly table: string | undefined;
  readonly by: Measure;
  readonly minutes: number;
}

function viewOf({ path, query }: Route): View {
  const [account, table] = path;
  return {
    account: accountOr(account),
    table,
    by: measures.find((name) => name === query.get('by')) ?? 'units',
    minutes: periods.find((period) => String(period) === query.get('minutes')) ?? 15,
  };
}

interface Heat {
  readonly report: HeatReport;
  /** When the report was asked for, in milliseconds since 1970. */
  readonly endMs: number;
}

/** Asks for the report, and again every few seconds while the page is visible. */
function useHeat({ account, table, minutes }: View, isPaused: boolean) {
  const heat = useSignal<Heat | undefined>(undefined);
  const fault = useSignal<unknown>(undefined);
  useEffect(() => {
    if (isPaused) return;
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const report = await api<HeatReport>('heatmap', { query: { account, table, minutes }, signal: abort.signal });
        heat.value = { report, endMs: Date.now() };
        fault.value = undefined;
      } catch (error) {
        if (!abort.signal.aborted) fault.value = error;
      }
    };
    void load();
    const timer = setInterval(() => {
      if (!document.hidden) void load();
    }, everyMs);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [account, table, minutes, isPaused, heat, fault]);
  return { heat: heat.value, fault: fault.value };
}

const everyMs = 5_000;

function HeatView({ heat: { report, endMs }, view }: { readonly heat: Heat; readonly view: View }): JSX.Element {
  const { account, by } = view;
  const { table, rows } = report;
  if (table === null || rows.length === 0) return <NothingYet view={view} />;
  const { max } = matrixOf(report, by);
  return (
    <>
      <Signs signs={report.signs} />
      <section class="card heat" aria-label={`Keys of ${visibleText(table)}`}>
        <Legend measure={by} max={max} columnMs={report.columnMs} hasBoundaries={report.boundaries.length > 0} />
        {max === 0 && <p class="heat-none muted">{noneTexts[by]}</p>}
        <HeatCanvas
          report={report}
          measure={by}
          endMs={endMs}
          summary={summaryOf(report, by)}
          onChoose={(row) => {
            const range = rows[row];
            if (range) navigate(['tables', account, table], { filter: partitionsFilter(range) });
          }}
        />
      </section>
      <HottestTable report={report} measure={by} />
    </>
  );
}

const noneTexts: Readonly<Record<Measure, string>> = {
  units: 'No entity unit was counted. With --throttle off, units are never counted.',
  requests: 'There was no request in this time.',
  refusals: 'No request was refused in this time.',
  wouldThrottle: 'Production would have refused none of the requests of this time for their load.',
};

function summaryOf(report: HeatReport, measure: Measure): string {
  const [hottest] = hottestRows(report, measure, 1);
  const rows = formatCount(report.rows.length, 'range', 'ranges');
  if (!hottest) return `${rows} of keys, without ${measureNames[measure]}.`;
  const name = hottest.from === hottest.to ? hottest.from : `${hottest.from} to ${hottest.to}`;
  return `${rows} of keys. The hottest is ${visibleText(name)} with ${formatPercent(hottest.share)} of the ${measureNames[measure]}. The arrow keys go from cell to cell, Enter shows the entities of a range.`;
}

function NothingYet({ view: { table, minutes } }: { readonly view: View }): JSX.Element {
  const time = formatCount(minutes, 'minute');
  return (
    <Empty icon="grid" title={table === undefined ? 'No table was used yet' : 'This table was not used'}>
      <p>
        {table === undefined
          ? `Keys appear here as soon as requests use them; the map goes back ${time}.`
          : `No request reached its entities in the last ${time}.`}
      </p>
      <Button kind="primary" onClick={() => navigate(['connect'])}>
        Show how to connect
      </Button>
      <p>
        <a href={hrefOf(['traffic'])}>Watch requests as they come in</a>
      </p>
    </Empty>
  );
}
