import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { visibleText } from '../../format.ts';
import { Button, IconButton } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { CheckField, TextField } from '../field.tsx';
import { Text } from '../text.tsx';
import { type GridColumn, widthMax, widthMin } from './columns.ts';
import { shortType } from './grid-row.tsx';

export interface ColumnsDialogProps {
  readonly columns: readonly GridColumn[];
  readonly onApply: (columns: readonly GridColumn[]) => void;
  /** Restores the default columns. */
  readonly onReset: () => void;
  readonly onClose: () => void;
}

/** Which columns are shown, in which order and how wide. */
export function ColumnsDialog({ columns: given, onApply, onReset, onClose }: ColumnsDialogProps): JSX.Element {
  const [columns, setColumns] = useState(given);
  const [filter, setFilter] = useState('');
  const change = (name: string, changed: Partial<GridColumn>): void =>
    setColumns(columns.map((column) => (column.name === name ? { ...column, ...changed } : column)));
  const move = (at: number, by: number): void => {
    const [column] = columns.slice(at, at + 1);
    if (column) setColumns(columns.toSpliced(at, 1).toSpliced(at + by, 0, column));
  };
  const shown = columns.filter(({ isShown }) => isShown).length;
  const all = (isShown: boolean): void => setColumns(columns.map((column) => ({ ...column, isShown })));
  const apply = (): void => {
    onApply(columns);
    onClose();
  };
  const reset = (): void => {
    onReset();
    onClose();
  };
  return (
    <Dialog
      title="Columns"
      onClose={onClose}
      onSubmit={apply}
      actions={
        <>
          <Button kind="quiet" onClick={reset}>
            Reset
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={shown === 0}>
            Apply
          </Button>
        </>
      }
    >
      <p class="muted">
        Entities of one table may have different properties; these are the ones seen so far, with their widths in
        pixels.
      </p>
      <div class="toolbar">
        {columns.length > 12 && (
          <TextField
            label="Find a column"
            isLabelHidden
            placeholder="Find a column"
            value={filter}
            onInput={setFilter}
          />
        )}
        <Button onClick={() => all(true)}>Show all</Button>
        <Button onClick={() => all(false)}>Hide all</Button>
      </div>
      <ul class="column-list">
        {columns.map((column, at) =>
          column.name.toLowerCase().includes(filter.toLowerCase()) ? (
            <li key={column.name}>
              <CheckField
                label={<ColumnName column={column} />}
                isChecked={column.isShown}
                onInput={(isShown) => change(column.name, { isShown })}
              />
              <TextField
                label={`Width of ${visibleText(column.name)}`}
                isLabelHidden
                type="number"
                min={widthMin}
                max={widthMax}
                value={String(column.width)}
                onInput={(text) => change(column.name, { width: Number(text) || widthMin })}
              />
              <IconButton
                icon="up"
                label={`Move ${visibleText(column.name)} up`}
                isDisabled={at === 0}
                onClick={() => move(at, -1)}
              />
              <IconButton
                icon="down"
                label={`Move ${visibleText(column.name)} down`}
                isDisabled={at === columns.length - 1}
                onClick={() => move(at, 1)}
              />
            </li>
          ) : null,
        )}
      </ul>
    </Dialog>
  );
}

function ColumnName({ column: { name, types } }: { readonly column: GridColumn }): JSX.Element {
  return (
    <>
      <Text text={name} /> <span class="muted">{[...types].map(shortType).join(', ')}</span>
    </>
  );
}
