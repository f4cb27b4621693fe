import type { JSX } from 'preact';
import type { ChecklistRow, ChecklistStatus, TableUse } from '../../../advisor/report.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Text } from '../../components/text.tsx';
import { formatBytes, formatNumber } from '../../format.ts';
import { hrefOf } from '../../router.ts';

const statuses: Readonly<Record<ChecklistStatus, { readonly tone: Tone; readonly text: string }>> = {
  broken: { tone: 'error', text: 'broken' },
  kept: { tone: 'good', text: 'kept' },
  notObserved: { tone: 'neutral', text: 'not observed' },
  notObservable: { tone: 'neutral', text: 'not observable' },
};
const order = Object.keys(statuses) as ChecklistStatus[];

export interface ChecklistProps {
  readonly rows: readonly ChecklistRow[];
  readonly onRule: (rule: string) => void;
}

/** Microsoft's performance and scalability checklist, broken rows first. */
export function Checklist({ rows, onRule }: ChecklistProps): JSX.Element {
  const sorted = [...rows].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return (
    <section class="card">
      <DataTable<ChecklistRow>
        caption="Performance and scalability checklist"
        rows={sorted}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Status',
            cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].text}</Badge>,
          },
          {
            name: 'Question',
            cell: ({ question, source }) => (
              <>
                {question} <span class="muted">({source.section})</span>
              </>
            ),
          },
          {
            name: 'Rules',
            cell: ({ rules }) => (
              <span class="rule-links">
                {rules.map((rule) => (
                  <button key={rule} type="button" class="link" onClick={() => onRule(rule)}>
                    {rule}
                  </button>
                ))}
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}

/** What the service would bill for each table. */
export function TableUses({ uses }: { readonly uses: readonly TableUse[] }): JSX.Element {
  if (uses.length === 0) {
    return (
      <Empty icon="table" title="No table was used yet">
        <p>What each table would cost appears here with the first request.</p>
      </Empty>
    );
  }
  return (
    <section class="card">
      <DataTable<TableUse>
        caption="Use of tables"
        rows={uses}
        keyOf={({ account, table }) => `${account}/${table}`}
        columns={[
          { name: 'Account', cell: ({ account }) => account },
          {
            name: 'Table',
            cell: ({ account, table }) =>
              table === null ? (
                <span class="muted">the account</span>
              ) : (
                <a href={hrefOf(['tables', account, table])}>
                  <Text text={table} />
                </a>
              ),
          },
          {
            name: 'Billable transactions',
            isNumber: true,
            cell: ({ billableTransactions }) => formatNumber(billableTransactions),
          },
          { name: 'Units', isNumber: true, cell: ({ units }) => formatNumber(units) },
          {
            name: 'Stored',
            isNumber: true,
            cell: ({ storedBytes }) => (storedBytes === null ? '–' : formatBytes(storedBytes)),
          },
        ]}
      />
    </section>
  );
}
