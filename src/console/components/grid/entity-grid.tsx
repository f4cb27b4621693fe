import { type Signal, useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { announce, announceFailure } from '../../announce.ts';
import type { ShownEntity } from '../../client/edm.ts';
import { copyText } from '../copy-button.tsx';
import { overscan, useVirtualRows } from '../virtual-rows.ts';
import type { GridColumn } from './columns.ts';
import type { EntityPages } from './entity-pages.ts';
import { GridHead } from './grid-head.tsx';
import { type GridPosition, movedBy } from './grid-keys.ts';
import { gridRole } from './grid-roles.ts';
import { GridRow, propertyOf } from './grid-row.tsx';
import { entityId, type Selection } from './selection.ts';

export interface EntityGridProps {
  /** The name for screen readers. */
  readonly label: string;
  readonly pages: EntityPages;
  /** The columns to show. */
  readonly columns: readonly GridColumn[];
  /** Called with the width in pixels to which the user dragged a column. */
  readonly onResize: (name: string, width: number) => void;
  /** The active cell, which keys move. */
  readonly position: Signal<GridPosition>;
  /** If absent, rows cannot be selected. */
  readonly selection?: Selection;
  /** Called on Enter and on a double click. */
  readonly onOpen?: (index: number) => void;
  /** Called on the Delete key. */
  readonly onDelete?: () => void;
}

const rowHeight = 32;
const headHeight = 44;
const checkWidth = 40;

/** Entities in the order of the service. Only rows in view are in the document, and only some pages are in memory. */
export function EntityGrid(props: EntityGridProps): JSX.Element {
  const { label, pages, columns, position, selection, onResize } = props;
  const gridId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const { rows: rowCount, isComplete } = pages.state.value;
  const chosen = useComputed(() => selection?.chosen.value);
  const virtual = useVirtualRows({ scroller, count: rowCount, rowHeight, headHeight });
  const [first, last] = [virtual.rows[0]?.index ?? 0, virtual.rows.at(-1)?.index ?? 0];
  useEffect(() => pages.show(first, Math.max(last, first + 30)), [pages, first, last]);
  const { row } = position.value;
  const column = Math.min(position.value.column, columns.length - 1);
  const moveTo = (next: GridPosition): void => {
    position.value = next;
    virtual.reveal(next.row);
    revealColumn(scroller.current, { columns, at: next.column, hasCheck: selection !== undefined });
  };
  const keys = useGridKeys(props, { moveTo, rowsInView: virtual.rowsInView });
  const hasCheck = selection !== undefined;
  // Rows that enter the view reuse the elements of rows that leave it. Making new elements took most of a frame's time.
  const pool = virtual.rowsInView + 2 * overscan + 3;
  const widths = columns.map(({ width }) => `${width}px`).join(' ');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: gridRole makes it a grid
    <div
      ref={scroller}
      {...gridRole({
        label,
        rows: isComplete ? rowCount + 1 : -1,
        columns: columns.length + (hasCheck ? 1 : 0),
        isSelectable: hasCheck,
        active: row >= first && row <= last && rowCount > 0 ? `${gridId}-${row}-${column}` : undefined,
      })}
      class="grid"
      style={{
        '--grid-columns': `${hasCheck ? `${checkWidth}px ` : ''}${widths}`,
        '--grid-check': hasCheck ? `${checkWidth}px` : '0px',
      }}
      onKeyDown={keys}
      onClick={(event) => clicked(event, props)}
      onDblClick={(event) => openRow(event, props)}
    >
      <div role="presentation" class="grid-space" style={{ height: `${virtual.height}px` }}>
        <GridHead columns={columns} pages={pages} selection={selection} onResize={onResize} />
        {virtual.rows.map(({ index, start }) => {
          const entity = pages.row(index);
          return (
            <GridRow
              key={index % pool}
              gridId={gridId}
              index={index}
              entity={entity}
              columns={columns}
              top={start}
              isSelected={entity !== undefined && chosen.value?.has(entityId(entity)) === true}
              activeColumn={index === row ? column : undefined}
              hasCheck={hasCheck}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Scrolls sideways until a column is in view. */
function revealColumn(
  scroller: HTMLElement | null,
  { columns, at, hasCheck }: { columns: readonly GridColumn[]; at: number; hasCheck: boolean },
): void {
  if (!scroller) return;
  const left = columns.slice(0, at).reduce((sum, { width }) => sum + width, hasCheck ? checkWidth : 0);
  const right = left + (columns[at]?.width ?? 0);
  // The columns of the keys do not scroll: they cover what is below them on the left.
  const held = columns.slice(0, at).reduce((sum, { name, width }) => (isHeld(name) ? sum + width : sum), 0);
  const covered = window.innerWidth > 1000 ? held + checkWidth : 0;
  if (left - covered < scroller.scrollLeft) scroller.scrollLeft = left - covered;
  else if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
}

const isHeld = (name: string): boolean => name === 'PartitionKey';

function positionOf({ target }: Event): GridPosition | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest<HTMLElement>('[data-row]')?.dataset['row'];
  const column = target.closest<HTMLElement>('[data-column]')?.dataset['column'];
  return row === undefined ? undefined : { row: Number(row), column: Number(column ?? 0) };
}

function clicked(event: MouseEvent, { pages, position, selection }: EntityGridProps): void {
  const at = positionOf(event);
  if (!at) return;
  position.value = at;
  const entity = pages.row(at.row);
  const isCheck = event.target instanceof HTMLInputElement;
  if (!entity || !selection || !(isCheck || event.shiftKey || event.ctrlKey || event.metaKey)) return;
  if (event.shiftKey) selection.extendTo(at.row, pages);
  else selection.toggle(at.row, entity);
  if (isCheck) (event.currentTarget as HTMLElement).focus({ preventScroll: true });
}

function openRow(event: MouseEvent, { onOpen }: EntityGridProps): void {
  const at = positionOf(event);
  if (at && !(event.target instanceof HTMLInputElement)) onOpen?.(at.row);
}

interface KeyTools {
  readonly moveTo: (position: GridPosition) => void;
  readonly rowsInView: number;
}

function useGridKeys(props: EntityGridProps, { moveTo, rowsInView }: KeyTools): (event: KeyboardEvent) => void {
  const { pages, columns, position, selection, onOpen, onDelete } = props;
  const actions: Readonly<Record<string, (entity: ShownEntity, event: KeyboardEvent) => void>> = {
    ' ': (entity, { shiftKey }) => {
      if (shiftKey) selection?.extendTo(position.peek().row, pages);
      else selection?.toggle(position.peek().row, entity);
    },
    Enter: () => onOpen?.(position.peek().row),
    F2: () => onOpen?.(position.peek().row),
    Delete: () => onDelete?.(),
  };
  return (event) => {
    const { key, shiftKey } = event;
    const entity = pages.row(position.peek().row);
    const size = { rows: pages.state.peek().rows, columns: columns.length, rowsInView };
    const next = size.rows === 0 ? undefined : movedBy(event, position.peek(), size);
    const isShortcut = event.ctrlKey || event.metaKey;
    if (next) {
      if (shiftKey && next.row !== position.peek().row) selection?.extendTo(next.row, pages);
      moveTo(next);
    } else if (isShortcut && key === 'c' && entity && window.getSelection()?.isCollapsed !== false) {
      void copyCell(entity, columns[position.peek().column]);
    } else if (isShortcut && key === 'a' && selection) {
      announce(`${selection.toggleAll(pages)} entities selected`);
    } else if (!isShortcut && actions[key] && entity) {
      actions[key](entity, event);
    } else return;
    event.preventDefault();
  };
}

async function copyCell(entity: ShownEntity, column: GridColumn | undefined): Promise<void> {
  const value = column && propertyOf(entity, column.name);
  if (!value) return;
  try {
    await copyText(value.text);
    announce('Copied the value.');
  } catch (error) {
    announceFailure(error);
  }
}
