import type { JSX } from 'preact';
import type {
  AccountReport,
  CapacityReport,
  HotPartitionReport,
  RangeReport,
  TableReport,
} from '../../../capacity/capacity-report.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Share } from '../../components/share.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatNumber, formatRate } from '../../format.ts';
import { hrefOf } from '../../router.ts';

interface AccountProps {
  readonly account: AccountReport;
}

/** The load of each table. The ranges of a table are shown on demand. */
export function TableUsageList({ account: { account, tables, tablesLeftOut } }: AccountProps): JSX.Element | null {
  if (tables.length === 0) return null;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Tables</h2>
        {tablesLeftOut > 0 && <span class="muted">{formatCount(tablesLeftOut, 'table')} more</span>}
      </div>
      <ul class="capacity-tables">
        {tables.map((table) => (
          <li key={table.table}>
            <TableItem account={account} table={table} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const patterns: Readonly<
  Record<NonNullable<TableReport['keyPattern']>, { readonly tone: Tone; readonly text: string }>
> = {
  'append-only': { tone: 'warning', text: 'append-only keys' },
  'prepend-only': { tone: 'warning', text: 'prepend-only keys' },
  'single partition': { tone: 'warning', text: 'a single partition' },
  spread: { tone: 'good', text: 'spread keys' },
};

function TableItem({ account, table }: { readonly account: string; readonly table: TableReport }): JSX.Element {
  const pattern = table.keyPattern && patterns[table.keyPattern];
  const worst = Math.max(0, ...table.ranges.map(({ ofTarget }) => ofTarget));
  return (
    <details>
      <summary>
        <span class="capacity-name">
          <Text text={table.table} />
          {pattern && <Badge tone={pattern.tone}>{pattern.text}</Badge>}
        </span>
        <span class="muted">{formatCount(table.ranges.length, 'range')}</span>
        <span class="capacity-rate">{formatRate(table.unitsPerSecond)} units/s</span>
        <Share share={worst} of="of the target of a range, in the busiest range" />
      </summary>
      <p class="capacity-note muted">
        {formatCount(table.splits, 'split')} and {formatCount(table.merges, 'merge')} so far,{' '}
        {formatNumber(table.units)} units in all.{' '}
        <a href={hrefOf(['tables', account, table.table])}>Show the entities</a>
      </p>
      <DataTable<RangeReport>
        caption={`Ranges of ${table.table}`}
        rows={table.ranges}
        keyOf={({ from }) => from}
        columns={[
          {
            name: 'From',
            cell: ({ from }) =>
              from === '' ? <span class="muted">the beginning</span> : <Text text={from} charsMax={80} />,
          },
          {
            name: 'Up to',
            cell: ({ before }) =>
              before === null ? <span class="muted">the end</span> : <Text text={before} charsMax={80} />,
          },
          { name: 'Units a second', isNumber: true, cell: ({ unitsPerSecond }) => formatRate(unitsPerSecond) },
          { name: 'Of its target', cell: ({ ofTarget }) => <Share share={ofTarget} of="of the target of a range" /> },
          { name: 'Refused', isNumber: true, cell: ({ refused }) => formatNumber(refused) },
          {
            name: 'State',
            cell: ({ isMoving, isLone }) => (
              <>
                {isMoving && <Badge tone="warning">moving</Badge>} {isLone && <Badge tone="error">one partition</Badge>}
              </>
            ),
          },
        ]}
      />
    </details>
  );
}

/** The partitions with the highest load. */
export function HotPartitionList({ account: { account, hotPartitions } }: AccountProps): JSX.Element | null {
  if (hotPartitions.length === 0) return null;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Busiest partitions</h2>
        <span class="muted">of the last ten seconds</span>
      </div>
      <DataTable<HotPartitionReport>
        caption="Busiest partitions"
        rows={hotPartitions}
        keyOf={({ table, partitionKey }) => `${table}/${partitionKey}`}
        columns={[
          {
            name: 'Partition',
            cell: ({ table, partitionKey }) => (
              <a
                href={hrefOf(['query', account, table], {
                  filter: `PartitionKey eq '${partitionKey.replaceAll("'", "''")}'`,
                })}
              >
                <Text text={partitionKey} charsMax={80} />
              </a>
            ),
          },
          { name: 'Table', cell: ({ table }) => <Text text={table} /> },
          { name: 'Units a second', isNumber: true, cell: ({ unitsPerSecond }) => formatRate(unitsPerSecond) },
          {
            name: 'Of its target',
            cell: ({ ofTarget }) => <Share share={ofTarget} of="of the target of a partition" />,
          },
          { name: 'Refused', isNumber: true, cell: ({ refused }) => formatNumber(refused) },
        ]}
      />
    </section>
  );
}

type RefusalSecond = CapacityReport['recentRefusals'][number];

const limits = { account: 'account', range: 'range', partition: 'partition', moving: 'moving range' } as const;

/** The latest seconds in which a target was exceeded. */
export function RefusalList({ seconds }: { readonly seconds: readonly RefusalSecond[] }): JSX.Element | null {
  if (seconds.length === 0) return null;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Beyond a target</h2>
        <span class="muted">seconds in which requests of any account were, or would have been, refused</span>
      </div>
      <DataTable<RefusalSecond>
        caption="Seconds in which a target was exceeded"
        rows={seconds.slice(0, 20)}
        keyOf={({ secondsAgo }) => String(secondsAgo)}
        columns={[
          { name: 'When', cell: ({ secondsAgo }) => (secondsAgo === 0 ? 'now' : `${formatNumber(secondsAgo)} s ago`) },
          { name: 'Refused', isNumber: true, cell: ({ refused }) => formatNumber(refused) },
          { name: 'Would be refused', isNumber: true, cell: ({ wouldThrottle }) => formatNumber(wouldThrottle) },
          { name: 'Where', cell: ({ places }) => <Places places={places} /> },
        ]}
      />
    </section>
  );
}

function Places({ places }: Pick<RefusalSecond, 'places'>): JSX.Element {
  return (
    <ul>
      {places.slice(0, 3).map(({ limit, table, partitionKey, rangeFrom, requests }) => (
        <li key={`${limit}/${table}/${partitionKey}/${rangeFrom}`}>
          {limits[limit]}
          {table !== undefined && (
            <>
              {' of '}
              <Text text={table} />
            </>
          )}
          {(partitionKey ?? rangeFrom) !== undefined && (
            <>
              {partitionKey === undefined ? ' from ' : ' '}
              <Text text={partitionKey ?? rangeFrom ?? ''} charsMax={60} />
            </>
          )}
          : {formatNumber(requests)}
        </li>
      ))}
    </ul>
  );
}
