import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Text } from '../text.tsx';
import { type GridColumn, widthMax, widthMin } from './columns.ts';
import type { EntityPages } from './entity-pages.ts';
import { headRole, rowRole } from './grid-roles.ts';
import { isNumberColumn, shortType } from './grid-row.tsx';
import type { Selection } from './selection.ts';

export interface GridHeadProps {
  readonly columns: readonly GridColumn[];
  readonly pages: EntityPages;
  readonly selection: Selection | undefined;
  readonly onResize: (name: string, width: number) => void;
}

/** The header row: the name of each column, with the types of its values. */
export function GridHead({ columns, pages, selection, onResize }: GridHeadProps): JSX.Element {
  return (
    <div {...rowRole(1)} class="grid-row grid-head">
      {selection && (
        <div {...headRole(1)} class="grid-cell grid-check">
          <SelectAll pages={pages} selection={selection} />
        </div>
      )}
      {columns.map((column, at) => (
        <div
          key={column.name}
          {...headRole(at + (selection ? 2 : 1))}
          class={`grid-cell${isNumberColumn(column) ? ' number' : ''}${column.name === 'PartitionKey' ? ' grid-held' : ''}`}
        >
          <span class="grid-name">
            <Text text={column.name} charsMax={60} />
          </span>
          <span class="grid-type">{[...column.types].map(shortType).join(', ')}</span>
          <ResizeHandle column={column} onResize={onResize} />
        </div>
      ))}
    </div>
  );
}

interface SelectAllProps {
  readonly pages: EntityPages;
  readonly selection: Selection;
}

function SelectAll({ pages, selection }: SelectAllProps): JSX.Element {
  const [chosen, state] = [selection.chosen.value, pages.state.value];
  // Memoized, because the head is rendered again whenever the grid scrolls.
  const extent = useMemo(() => selection.extent(pages), [chosen, state]);
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label="Select all rows in memory"
      checked={extent === 'all'}
      indeterminate={extent === 'some'}
      onClick={() => selection.toggleAll(pages)}
    />
  );
}

interface ResizeHandleProps {
  readonly column: GridColumn;
  readonly onResize: (name: string, width: number) => void;
}

/** Changes the width of a column with the mouse. With the keyboard, widths are set in the dialog of the columns. */
function ResizeHandle({ column, onResize }: ResizeHandleProps): JSX.Element {
  const begin = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const startX = event.clientX;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = ({ clientX }) => {
      onResize(column.name, Math.min(widthMax, Math.max(widthMin, column.width + clientX - startX)));
    };
    handle.onlostpointercapture = () => {
      handle.onpointermove = null;
    };
    event.preventDefault();
  };
  return <span class="grid-handle" aria-hidden="true" onPointerDown={begin} />;
}
