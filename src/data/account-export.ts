import { decodeSignedIdentifiers } from '../model/access-policy.ts';
import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { quoteJson } from '../model/json-text.ts';
import { pageBytesMax, pageEntitiesMax } from '../model/limits.ts';
import { joinProperties, splitProperties } from '../model/properties.ts';
import type { AccountStore, Store } from '../storage/store.ts';
import type { ExportedTable, ExportSource } from './export.ts';

const pageTimeMsMax = 5_000;

/** The tables of an account of this process; one that was never used has none. */
export function openAccountExport(store: Store, name: string): ExportSource {
  return {
    async tables() {
      if (!(await store.exists(name))) return [];
      const account = store.account(name);
      const tables: ExportedTable[] = [];
      let from: string | undefined;
      do {
        const page = await account.listTables({ limit: pageEntitiesMax, ...(from === undefined ? {} : { from }) });
        for (const table of page.tables) tables.push(await describe(account, table.name));
        from = page.next?.name.toLowerCase();
      } while (from !== undefined);
      return tables;
    },
    lines: (table) => linesOf(store.account(name), table),
  };
}

async function describe(account: AccountStore, name: string): Promise<ExportedTable> {
  const found = await account.getTableAcl(name);
  const policies = found.kind === 'found' && found.acl !== undefined ? decodeSignedIdentifiers(found.acl) : [];
  return { name, policies };
}

/** Each page is of one moment. Throws where the table is deleted in the meantime. */
async function* linesOf(account: AccountStore, table: string): AsyncGenerator<readonly string[]> {
  let from: EntityKey | undefined;
  do {
    const page = await account.scan(table, {
      range: from ? { from } : {},
      limit: pageEntitiesMax,
      bytesMax: pageBytesMax,
      timeMsMax: pageTimeMsMax,
    });
    if (page.kind !== 'page') throw new Error(`table ${table} was deleted`);
    yield page.entities.map(lineOf);
    from = page.next;
  } while (from);
}

/** The properties by name, so that a line depends on what the entity holds and not on who wrote it. */
function lineOf({ partitionKey, rowKey, properties }: EntityRecord): string {
  const sorted = splitProperties(properties).sort((a, b) => (a.name < b.name ? -1 : 1));
  const text = sorted.length === 0 ? '' : `,${joinProperties(sorted)}`;
  return `{"PartitionKey":${quoteJson(partitionKey)},"RowKey":${quoteJson(rowKey)}${text}}`;
}
