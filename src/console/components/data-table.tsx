import type { ComponentChildren, JSX } from 'preact';

export interface DataTableColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned right. */
  readonly isNumber?: boolean;
  /** The header is hidden; only screen readers read it. */
  readonly isHeaderHidden?: boolean;
}

export interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly DataTableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A short table; all rows are in the document. For thousands of rows use a virtual list. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached with the keyboard
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <table class="data-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, isHeaderHidden }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
                {isHeaderHidden ? <span class="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber }) => (
                <td key={name} class={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
