// The ARIA roles of a grid made of plain elements. An HTML table would lay out all of its rows, but this grid renders
// only the rows in view. The focus stays on the grid, and `aria-activedescendant` names the current cell (WAI-ARIA,
// Grid pattern).

export interface GridRole {
  readonly label: string;
  /** Number of rows; -1 while it is not known. */
  readonly rows: number;
  readonly columns: number;
  readonly isSelectable: boolean;
  /** The id of the active cell. */
  readonly active: string | undefined;
}

export const gridRole = ({ label, rows, columns, isSelectable, active }: GridRole) => ({
  role: 'grid' as const,
  tabIndex: 0,
  'aria-label': label,
  'aria-rowcount': rows,
  'aria-colcount': columns,
  'aria-multiselectable': isSelectable || undefined,
  'aria-activedescendant': active,
});

/** Rows and columns count from 1. Without `isSelected`, a row cannot be chosen. */
export const rowRole = (row: number, isSelected?: boolean) => ({
  role: 'row' as const,
  'aria-rowindex': row,
  'aria-selected': isSelected,
});
export const cellRole = (column: number) => ({ role: 'gridcell' as const, 'aria-colindex': column });
export const headRole = (column: number) => ({ role: 'columnheader' as const, 'aria-colindex': column });
