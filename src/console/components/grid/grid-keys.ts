// The keys of a grid, according to the grid pattern of WAI-ARIA.

export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Number of rows by which PageUp and PageDown move. */
  readonly rowsInView: number;
}

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** The position to which a key moves; undefined for keys that do not move. */
export function movedBy(
  { key, ctrlKey, metaKey }: Pressed,
  { row, column }: GridPosition,
  size: GridSize,
): GridPosition | undefined {
  const isFar = ctrlKey || metaKey;
  const [lastRow, lastColumn] = [size.rows - 1, size.columns - 1];
  switch (key) {
    case 'ArrowDown':
      return { row: isFar ? lastRow : Math.min(row + 1, lastRow), column };
    case 'ArrowUp':
      return { row: isFar ? 0 : Math.max(row - 1, 0), column };
    case 'ArrowRight':
      return { row, column: isFar ? lastColumn : Math.min(column + 1, lastColumn) };
    case 'ArrowLeft':
      return { row, column: isFar ? 0 : Math.max(column - 1, 0) };
    case 'PageDown':
      return { row: Math.min(row + size.rowsInView, lastRow), column };
    case 'PageUp':
      return { row: Math.max(row - size.rowsInView, 0), column };
    case 'Home':
      return { row: isFar ? 0 : row, column: 0 };
    case 'End':
      return { row: isFar ? lastRow : row, column: lastColumn };
    default:
      return undefined;
  }
}
