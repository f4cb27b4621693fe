import type { JSX } from 'preact';
import type { HeatReport } from '../../../control/observe/heat-report.ts';
import { DataTable } from '../../components/data-table.tsx';
import { formatNumber, formatPercent } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { partitionsFilter } from '../key-filter.ts';
import { hottestRows, type Measure, measureNames, type RowLoad } from './heat-matrix.ts';
import { RangeName } from './range-name.tsx';

const rowsMax = 10;

/** The map in figures, for people who cannot see it. */
export function HottestTable({
  report,
  measure,
}: {
  readonly report: HeatReport;
  readonly measure: Measure;
}): JSX.Element {
  const { account, table } = report;
  const rows = hottestRows(report, measure, rowsMax);
  return (
    <section class="card">
      <div class="card-head">
        <h2>Hottest ranges of keys, by {measureNames[measure]}</h2>
      </div>
      {rows.length === 0 ? (
        <p class="card-body muted">Nothing was counted in this time.</p>
      ) : (
        <DataTable
          caption={`Hottest ranges of keys, by ${measureNames[measure]}`}
          rows={rows}
          keyOf={({ from }) => from}
          columns={[
            { name: 'Partition keys', cell: (row: RowLoad) => <RangeName {...row} /> },
            { name: 'Share', isNumber: true, cell: ({ share }) => formatPercent(share) },
            { name: 'Units', isNumber: true, cell: ({ units }) => formatNumber(units) },
            { name: 'Requests', isNumber: true, cell: ({ requests }) => formatNumber(requests) },
            { name: 'Refusals', isNumber: true, cell: ({ refusals }) => formatNumber(refusals) },
            { name: 'Would be refused', isNumber: true, cell: ({ wouldThrottle }) => formatNumber(wouldThrottle) },
            {
              name: 'Entities',
              isHeaderHidden: true,
              cell: (row) => (
                <a href={hrefOf(['tables', account, table ?? ''], { filter: partitionsFilter(row) })}>Show entities</a>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}
