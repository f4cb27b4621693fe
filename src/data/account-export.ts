import { decodeSignedIdentifiers } from '../model/access-policy.ts';
import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { pageBytesMax, pageEntitiesMax } from '../model/limits.ts';
import { joinProperties, splitProperties } from '../model/properties.ts';
import { tableLookup } from '../model/table-name.ts';
import type { AccountView, Store } from '../storage/store.ts';
import type { ExportSource } from './export.ts';
import { fileLine } from './file-entity.ts';

const pageTimeMsMax = 5_000;

/**
 * Opens an export of the tables of an account in this process. An account that was never used has no tables. If `only`
 * is given, only the tables that it names can be read.
 */
export async function openAccountExport(
  store: Store,
  account: string,
  only?: readonly string[],
): Promise<ExportSource> {
  if (!(await store.exists(account))) return { tables: [], lines: noLines, close: async () => undefined };
  const view = await store.account(account).openView();
  const wanted = only && new Set(only.map(tableLookup));
  for (const { name } of view.tables) if (wanted && !wanted.has(tableLookup(name))) await view.release(name);
  return {
    tables: view.tables.map(({ name, acl }) => ({
      name,
      policies: acl === undefined ? [] : decodeSignedIdentifiers(acl),
    })),
    lines: (table) => linesOf(view, table),
    close: () => view.close(),
  };
}

async function* noLines(): AsyncGenerator<readonly string[]> {}

async function* linesOf(view: AccountView, table: string): AsyncGenerator<readonly string[]> {
  let from: EntityKey | undefined;
  do {
    const page = await view.scan({
      table,
      range: from ? { from } : {},
      limit: pageEntitiesMax,
      bytesMax: pageBytesMax,
      timeMsMax: pageTimeMsMax,
    });
    yield page.entities.map(lineOf);
    from = page.next;
  } while (from);
  await view.release(table);
}

/** The properties sorted by name, so that a line depends on the entity and not on the client that wrote it. */
function lineOf({ partitionKey, rowKey, properties }: EntityRecord): string {
  const sorted = splitProperties(properties).sort((a, b) => (a.name < b.name ? -1 : 1));
  return fileLine({ partitionKey, rowKey, properties: joinProperties(sorted) });
}
