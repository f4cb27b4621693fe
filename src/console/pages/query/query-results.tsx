import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { announceFailure } from '../../announce.ts';
import { fetchEntity } from '../../client/data-plane.ts';
import type { ShownEntity } from '../../client/edm.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ColumnsDialog } from '../../components/grid/columns-dialog.tsx';
import { EntityGrid } from '../../components/grid/entity-grid.tsx';
import { GridFoot } from '../../components/grid/grid-foot.tsx';
import type { GridPosition } from '../../components/grid/grid-keys.ts';
import { useColumns } from '../../components/grid/use-columns.ts';
import { Tabs } from '../../components/tabs.tsx';
import { EntityDialog } from '../tables/entity-dialog.tsx';
import { CodePanel } from './code-panel.tsx';
import { remember } from './history.ts';
import { HistoryPanel } from './history-panel.tsx';
import { PlanPanel } from './plan-panel.tsx';
import type { QueryText } from './query-text.ts';
import { type QueryRun, runQuery } from './run-query.ts';
import { RunSummary } from './run-summary.tsx';

export interface QueryResultsProps {
  readonly query: QueryText;
  /** A new number runs the query again. */
  readonly round: number;
  readonly isRun: boolean;
}

const tabs = [
  { name: 'results', label: 'Results' },
  { name: 'plan', label: 'Plan' },
  { name: 'code', label: 'Code' },
  { name: 'history', label: 'History' },
] as const;

/** The results of the query in the address. */
export function QueryResults({ query, round, isRun }: QueryResultsProps): JSX.Element {
  const [tab, setTab] = useState<(typeof tabs)[number]['name']>('results');
  const run = useRun({ query, round, isRun });
  return (
    <section class="card query-results">
      {run && <RunSummary run={run} onShowPlan={() => setTab('plan')} />}
      <Tabs label="What to show of the query" tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === 'results' && (run ? <Results key={round} query={query} run={run} /> : <NotRun />)}
        {tab === 'plan' && <PlanPanel query={query} run={run} />}
        {tab === 'code' && <CodePanel query={query} />}
        {tab === 'history' && <HistoryPanel />}
      </Tabs>
    </section>
  );
}

function useRun({ query, round, isRun }: QueryResultsProps): QueryRun | undefined {
  const key = JSON.stringify([query, round, isRun]);
  const run = useMemo(() => (isRun ? runQuery(query, (report) => remember(query, report)) : undefined), [key]);
  useEffect(() => {
    run?.pages.show(0, 30);
    return () => run?.pages.close();
  }, [run]);
  return run;
}

function NotRun(): JSX.Element {
  return (
    <Empty icon="play" title="Not run yet">
      <p>Write a filter and press Enter. Without one, the query reads the whole table, page by page.</p>
    </Empty>
  );
}

function Results({ query, run }: { readonly query: QueryText; readonly run: QueryRun }): JSX.Element {
  const { account, table } = query;
  const { pages } = run;
  const position = useSignal<GridPosition>({ row: 0, column: 0 });
  const columns = useColumns(`query/${account}/${table}`, pages.state.value.columns);
  const [isChoosing, setChoosing] = useState(false);
  const [opened, setOpened] = useState<{ readonly index: number; readonly entity: ShownEntity }>();
  const { rows, isComplete, fault } = pages.state.value;
  // With $select, the row holds only a part of the entity, so the complete entity is read.
  const open = (index: number): void => {
    const row = pages.row(index);
    if (row) fetchEntity(account, table, row).then((entity) => setOpened({ index, entity }), announceFailure);
  };
  const hasMore = run.report.value?.hasMore === true;
  return (
    <>
      {rows === 0 && isComplete && fault === undefined && (
        <Empty icon="search" title="No entity matches">
          <p>The service answered with no entities.</p>
        </Empty>
      )}
      {(rows > 0 || (!isComplete && fault === undefined)) && (
        <EntityGrid
          label="Results"
          pages={pages}
          columns={columns.shown}
          onResize={columns.resize}
          position={position}
          onOpen={open}
        />
      )}
      <GridFoot pages={pages}>
        {isComplete && hasMore && <p>$top was reached; the service has more.</p>}
        <Button kind="quiet" icon="columns" onClick={() => setChoosing(true)}>
          Columns
        </Button>
      </GridFoot>
      {isChoosing && (
        <ColumnsDialog
          columns={columns.all}
          onApply={columns.apply}
          onReset={columns.reset}
          onClose={() => setChoosing(false)}
        />
      )}
      {opened && (
        <EntityDialog
          account={account}
          table={table}
          task={{ kind: 'edit', entity: opened.entity }}
          onClose={() => setOpened(undefined)}
          onWritten={(entity) => pages.replace(opened.index, entity)}
          onGone={() => {
            const gone = pages.row(opened.index);
            pages.remove((entity) => entity === gone);
          }}
        />
      )}
    </>
  );
}
