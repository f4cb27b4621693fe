// How much tables hold, as far as the emulator counts.

import { useEffect, useState } from 'preact/hooks';
import type { SizedTable, TableSizes } from '../../../control/data/table-sizes.ts';
import { api } from '../../client/api.ts';
import { formatBytes, formatNumber } from '../../format.ts';

/** Further tables of an account are listed without their sizes. */
const sizedMax = 1_000;

/** The sizes of `tables` by name. More of them are added while they are read. */
export function useTableSizes(account: string, tables: readonly string[] | undefined): ReadonlyMap<string, SizedTable> {
  const [sizes, setSizes] = useState<ReadonlyMap<string, SizedTable>>(new Map());
  useEffect(() => {
    if (!tables?.length) return;
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      const known = new Map<string, SizedTable>();
      let from: string | undefined;
      do {
        const query = { account, from };
        const page: TableSizes = await api<TableSizes>('tables', { query, signal: abort.signal });
        for (const size of page.tables) known.set(size.name, size);
        if (!abort.signal.aborted) setSizes(new Map(known));
        from = page.next ?? undefined;
      } while (from !== undefined && known.size < sizedMax);
    };
    // The list is useful without sizes.
    read().catch(() => undefined);
    return () => abort.abort();
  }, [account, tables]);
  return sizes;
}

/** `more than 10,000` if the emulator stopped counting. */
const bounded = (text: string, { isWhole }: SizedTable): string => (isWhole ? text : `more than ${text}`);

export const entitiesText = (size: SizedTable | undefined): string =>
  size === undefined ? '' : bounded(formatNumber(size.entities), size);

export const bytesText = (size: SizedTable | undefined): string =>
  size === undefined ? '' : bounded(formatBytes(size.bytes), size);
