import type { JSX } from 'preact';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Text } from '../../components/text.tsx';
import { formatDuration, formatNumber, formatTime } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { forgetAll, past } from './history.ts';
import { queryAddress } from './query-text.ts';
import { planTones } from './run-summary.tsx';

/** The queries of this tab, each a link that opens it. */
export function HistoryPanel(): JSX.Element {
  if (past.value.length === 0) {
    return (
      <Empty icon="restore" title="No queries yet">
        <p>What you run in this tab is listed here, with what its first page cost.</p>
      </Empty>
    );
  }
  return (
    <div class="history">
      <DataTable
        caption="Queries of this tab"
        rows={past.value}
        keyOf={({ query }) => JSON.stringify(query)}
        columns={[
          { name: 'At', cell: ({ at }) => formatTime(at) },
          { name: 'Table', cell: ({ query }) => <Text text={query.table} /> },
          {
            name: 'Filter',
            cell: ({ query }) => (
              <a class="mono" href={hrefOf(...queryAddress(query, true))}>
                {query.filter === '' ? 'all entities' : <Text text={query.filter} />}
              </a>
            ),
          },
          { name: 'Plan', cell: ({ report: { kind } }) => kind && <Badge tone={planTones[kind]}>{kind}</Badge> },
          { name: 'Visited', isNumber: true, cell: ({ report }) => formatNumber(report.visited) },
          { name: 'Returned', isNumber: true, cell: ({ report }) => formatNumber(report.returned) },
          { name: 'Time', isNumber: true, cell: ({ report }) => formatDuration(report.durationMs) },
        ]}
      />
      <div class="card-body">
        <Button onClick={forgetAll}>Forget all</Button>
      </div>
    </div>
  );
}
