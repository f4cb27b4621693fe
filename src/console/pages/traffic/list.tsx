// biome-ignore-all lint/a11y/useSemanticElements: rows that are positioned one by one cannot be table rows
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row

import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { useVirtualRows } from '../../components/virtual-rows.ts';
import { navigate } from '../../router.ts';
import { ListRow } from './list-row.tsx';
import { instantCharsMax } from './request-text.ts';
import type { TrafficRow } from './traffic-log.ts';

export interface TrafficListProps {
  /** The newest first. */
  readonly rows: readonly TrafficRow[];
  /** Whether there are rows that the filter hides. */
  readonly isFiltered: boolean;
  readonly selected: TrafficRow | undefined;
  readonly scroller: { readonly current: HTMLDivElement | null };
  readonly onSelect: (row: TrafficRow) => void;
  readonly onClose: () => void;
  readonly onPause: () => void;
}

const rowHeight = 32;
const headHeight = 34;

const columns = ['Time', 'Status', 'Operation', 'Table', 'Keys or filter', 'Plan', 'Units', 'Duration', 'Client'];

/** The Tab key stops once in this grid. The arrow keys move from request to request, and the details follow. */
export function TrafficList(props: TrafficListProps): JSX.Element {
  const { rows, isFiltered, selected, scroller, onSelect, onClose, onPause } = props;
  const {
    rows: items,
    height,
    reveal,
    rowsInView,
  } = useVirtualRows({
    scroller,
    count: rows.length,
    rowHeight,
    headHeight,
  });
  useAnchor(rows, scroller);
  const at = selected ? rows.findIndex(({ number }) => number === selected.number) : -1;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    if (event.key === 'p' && !event.ctrlKey && !event.metaKey && !event.altKey) onPause();
    const target = targetOf(event.key, { at, count: rows.length, rowsInView });
    const row = target === undefined ? undefined : rows[target];
    if (!row || target === undefined) return;
    event.preventDefault();
    onSelect(row);
    reveal(target);
  };
  return (
    <div
      ref={scroller}
      class="traffic-list card"
      style={{ '--traffic-time': `calc(${instantCharsMax}ch + 14px)` }}
      role="grid"
      tabIndex={0}
      aria-label="Requests, the newest first"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={at >= 0 && items.some(({ index }) => index === at) ? rowId(selected) : undefined}
      aria-keyshortcuts="p"
      onKeyDown={onKeyDown}
    >
      <div class="traffic-row traffic-head" role="row" aria-rowindex={1}>
        {columns.map((name, index) => (
          <div key={name} role="columnheader" aria-colindex={index + 1} class={`traffic-cell c${index}`}>
            {name}
          </div>
        ))}
      </div>
      {rows.length === 0 && <NoRows isFiltered={isFiltered} />}
      <div role="presentation" class="traffic-space" style={{ height: `${height - headHeight}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              <ListRow
                key={row.number}
                id={rowId(row)}
                row={row}
                index={index}
                top={start - headHeight}
                isSelected={row.number === selected?.number}
                onSelect={onSelect}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

const rowId = (row: TrafficRow | undefined): string => `request-${row?.number}`;

/** While the newest request is out of view, the list does not move, however many requests arrive above. */
function useAnchor(rows: readonly TrafficRow[], scroller: { readonly current: HTMLDivElement | null }): void {
  const first = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const before = first.current;
    first.current = rows[0]?.number;
    const list = scroller.current;
    if (before === undefined || !list || list.scrollTop === 0) return;
    const added = rows.findIndex(({ number }) => number <= before);
    if (added > 0) list.scrollTop += added * rowHeight;
  }, [rows, scroller]);
}

interface Place {
  /** Index of the selected row; -1 if none is selected. */
  readonly at: number;
  readonly count: number;
  readonly rowsInView: number;
}

/** The index of the row to which a key moves; undefined for other keys. */
function targetOf(key: string, { at, count, rowsInView }: Place): number | undefined {
  const within = (target: number): number => Math.max(0, Math.min(count - 1, target));
  switch (key) {
    case 'ArrowDown':
      return within(at + 1);
    case 'ArrowUp':
      return within(at - 1);
    case 'PageDown':
      return within(at + rowsInView);
    case 'PageUp':
      return within(at - rowsInView);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

function NoRows({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  return (
    <div role="row" aria-rowindex={2}>
      <div role="gridcell" aria-colspan={columns.length}>
        {isFiltered ? (
          <Empty icon="search" title="No request fits the filter">
            <p>Requests that fit appear here as they are answered.</p>
          </Empty>
        ) : (
          <Empty icon="pulse" title="Waiting for requests">
            <p>Run your program against this emulator: its requests appear here as they are answered.</p>
            <Button kind="primary" onClick={() => navigate(['connect'])}>
              Show how to connect
            </Button>
          </Empty>
        )}
      </div>
    </div>
  );
}
