import { entityBytes } from '../model/entity-limits.ts';
import { decodeProperties } from '../model/properties.ts';
import type { ScanPage, Store } from './store.ts';

/** A larger table is not measured: it would take too long. */
const entitiesMax = 200_000;

/**
 * The bytes of all entities of a table, by the storage team's formula; null if it is too large, or cannot be read. Other
 * requests have their turn after each page.
 */
export async function measureTable(
  store: Store,
  { account, table }: { readonly account: string; readonly table: string },
): Promise<number | null> {
  try {
    if (!(await store.exists(account))) return null;
    let bytes = 0;
    let entities = 0;
    let from: ScanPage['next'];
    do {
      const page = await store
        .account(account)
        .scan(table, { range: from ? { from } : {}, limit: 1000, bytesMax: 4 * 1_048_576, timeMsMax: 1_000 });
      if (page.kind !== 'page') return null;
      for (const entity of page.entities) bytes += entityBytes(entity, decodeProperties(entity.properties));
      entities += page.entities.length;
      from = page.next;
      if (from) await new Promise((resolve) => setImmediate(resolve));
    } while (from && entities < entitiesMax);
    return from ? null : bytes;
  } catch {
    // The store is closed, or its data is damaged: the log has said so.
    return null;
  }
}
