import { useEffect, useState } from 'preact/hooks';
import type { TableSizes } from '../../../control/data/table-sizes.ts';
import { tableLookup } from '../../../model/table-name.ts';
import { api } from '../../client/api.ts';

/**
 * Returns the number of partitions of a table. Returns undefined while the number is not known, and for a table that is
 * too large to count.
 */
export function usePartitionCount(account: string, table: string): number | undefined {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    const abort = new AbortController();
    setCount(undefined);
    api<TableSizes>('tables', { query: { account, from: table, limit: 1 }, signal: abort.signal }).then(
      ({ tables: [size] }) => {
        if (size?.isWhole && tableLookup(size.name) === tableLookup(table)) setCount(size.partitions);
      },
      () => undefined,
    );
    return () => abort.abort();
  }, [account, table]);
  return count;
}
