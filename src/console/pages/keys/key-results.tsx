import type { JSX } from 'preact';
import type { Distribution } from '../../../advisor/keys/distribution.ts';
import type { QueryGroup } from '../../../advisor/keys/query-groups.ts';
import type { KeySimulation } from '../../../advisor/keys/simulate-keys.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Text } from '../../components/text.tsx';
import { formatCount, formatNumber, formatPercent } from '../../format.ts';

/** What a design would do. */
export function KeyResults({ simulation }: { readonly simulation: KeySimulation }): JSX.Element {
  return (
    <>
      <Partitions simulation={simulation} />
      <Remarks simulation={simulation} />
      <Queries simulation={simulation} />
    </>
  );
}

interface NamedDistribution {
  readonly name: string;
  readonly distribution: Distribution;
}

function Partitions({ simulation: { sample, present, tables } }: { readonly simulation: KeySimulation }): JSX.Element {
  const rows: readonly NamedDistribution[] = [
    ...(present ? [{ name: 'Present keys', distribution: present }] : []),
    ...tables.map(({ name, distribution }) => ({ name: name === 'table' ? 'Design' : 'Second table', distribution })),
  ];
  return (
    <section class="card">
      <div class="card-head">
        <h2>Partitions</h2>
        <span class="muted">
          {formatCount(sample.entities, 'entity', 'entities')}
          {sample.total > sample.entities && `, a sample of ${formatNumber(sample.total)}`}
        </span>
      </div>
      <DataTable<NamedDistribution>
        caption="Partitions"
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Keys', cell: ({ name }) => name },
          { name: 'Partitions', isNumber: true, cell: ({ distribution }) => formatNumber(distribution.partitions) },
          { name: 'Largest', cell: ({ distribution: { largest } }) => largest && <Text text={largest.partitionKey} /> },
          {
            name: 'Its share',
            isNumber: true,
            cell: ({ distribution: { largest } }) => largest && formatPercent(largest.share),
          },
          { name: 'Order', cell: ({ distribution: { keyPattern } }) => keyPattern ?? 'not known' },
          {
            name: 'Writes a second',
            isNumber: true,
            cell: ({ distribution }) => formatNumber(distribution.writesPerSecond),
          },
        ]}
      />
    </section>
  );
}

function Remarks({
  simulation: { tables, keeps, writes },
}: {
  readonly simulation: KeySimulation;
}): JSX.Element | null {
  const remarks = [
    ...tables.flatMap(({ distribution, problems }) => [
      ...problems.map(
        ({ entities, reason }) => `${formatCount(entities, 'entity', 'entities')} cannot be stored: ${reason}`,
      ),
      ...distribution.findings.map(({ rule, text }) => `${text} (${rule})`),
    ]),
    ...keeps.map(
      ({ key, property }) => `The queries need the present ${key}: keep it as a property, here named ${property}.`,
    ),
    ...(writes.written > writes.entities
      ? [
          `Writing all takes ${formatNumber(writes.written)} entities and ${formatNumber(writes.transactions)} billable transactions.`,
        ]
      : []),
  ];
  if (remarks.length === 0) return null;
  return (
    <section class="card keys-remarks" aria-label="Remarks">
      <ul>
        {remarks.map((remark) => (
          <li key={remark}>
            <Text text={remark} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Queries({ simulation: { queries } }: { readonly simulation: KeySimulation }): JSX.Element {
  if (queries.length === 0) return <p class="muted">The table was sent no queries recently.</p>;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Queries</h2>
      </div>
      <DataTable<QueryGroup>
        caption="Queries"
        rows={queries}
        keyOf={(query) => JSON.stringify([query.shape, query.top, query.present?.plan, query.design.filters])}
        columns={[
          {
            name: 'Query',
            cell: ({ example }) => (
              <code>
                <Text text={example === '' ? '(all entities)' : example} />
              </code>
            ),
          },
          { name: 'Requests', isNumber: true, cell: ({ requests }) => formatNumber(requests) },
          { name: 'Plan', cell: ({ present, design }) => change(present?.plan, design.plan) },
          {
            name: 'Visited',
            isNumber: true,
            cell: ({ present, design }) =>
              change(present && formatNumber(present.visited), formatNumber(design.visited)),
          },
          {
            name: 'Send',
            cell: ({ design: { filters } }) => (
              <code>
                <Text text={filters[0] || '(all entities)'} />
                {filters.length > 1 && ` and ${filters.length - 1} more`}
              </code>
            ),
          },
        ]}
      />
    </section>
  );
}

const change = (before: string | null | undefined, after: string): string =>
  before === null || before === undefined || before === after ? after : `${before} → ${after}`;
