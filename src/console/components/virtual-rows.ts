import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';

export interface VirtualRowsOptions {
  /** The element that scrolls. */
  readonly scroller: { readonly current: HTMLElement | null };
  readonly count: number;
  /** In pixels; the same for all rows. */
  readonly rowHeight: number;
  /** Height of what covers the top of the scroller, such as a header. */
  readonly headHeight?: number;
}

export interface VirtualRows {
  /** The rows in view and some around them. */
  readonly rows: readonly VirtualItem[];
  /** Height of all rows in pixels. */
  readonly height: number;
  /** Scrolls until a row is in view. */
  readonly reveal: (index: number) => void;
  /** Rows that fit into the view. */
  readonly rowsInView: number;
}

/** Rows in the document before and after the rows in view. */
export const overscan = 6;

/** A list of rows. Only the rows in view are in the document. */
export function useVirtualRows({ scroller, count, rowHeight, headHeight = 0 }: VirtualRowsOptions): VirtualRows {
  const [, update] = useReducer((times: number) => times + 1, 0);
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollPaddingStart: headHeight,
    paddingStart: headHeight,
    overscan,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => update(undefined),
  };
  const ref = useRef<Virtualizer<HTMLElement, HTMLElement> | undefined>(undefined);
  ref.current ??= new Virtualizer(options);
  const virtualizer = ref.current;
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    rows: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    rowsInView: Math.max(1, Math.floor(((virtualizer.scrollRect?.height ?? 0) - headHeight) / rowHeight) - 1),
  };
}
