// The access policies in the folder of an export.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeSignedIdentifiers, type SignedIdentifier } from '../model/access-policy.ts';
import { tableLookup } from '../model/table-name.ts';
import { notWrittenByExport } from './export-folder.ts';
import { FileFault } from './file-fault.ts';
import { namedTableFiles, policiesFileName, readPolicies } from './table-files.ts';

interface TablePolicies {
  readonly name: string;
  readonly policies: readonly SignedIdentifier[];
}

export interface PoliciesExport {
  /** The exported tables. */
  readonly tables: readonly TablePolicies[];
  /** Whether the existing file of a table stays, although the table is not exported. */
  readonly staysFor: (table: string) => boolean;
}

/**
 * Returns the text that an export must write to the file of access policies. Returns undefined if there is nothing to
 * write. If the file of a table that is not exported stays in the folder, the text keeps the table's existing entry.
 * Throws FileFault if the policies would replace a file that was not written by an export.
 */
export async function policiesText(folder: string, { tables, staysFor }: PoliciesExport): Promise<string | undefined> {
  const own = tables.filter(({ policies }) => policies.length > 0);
  const path = join(folder, policiesFileName);
  const before = await policiesIn(path);
  if (before === 'other') {
    if (own.length === 0) return undefined;
    throw notWrittenByExport(path);
  }
  if (!before && own.length === 0) return undefined;
  const exported = new Set(tables.map(({ name }) => tableLookup(name)));
  const inFolder = new Set(namedTableFiles(folder).map(({ lookup }) => lookup));
  const kept = (before ?? []).filter(({ name }) => {
    const lookup = tableLookup(name);
    return !exported.has(lookup) && inFolder.has(lookup) && staysFor(lookup);
  });
  const entries = [...kept, ...own]
    .sort((a, b) => (tableLookup(a.name) < tableLookup(b.name) ? -1 : 1))
    .map(({ name, policies }) => [
      name,
      policies.map(({ id, start, expiry, permission }) => ({ id, start, expiry, permission })),
    ]);
  return `${JSON.stringify(Object.fromEntries(entries), undefined, entries.length === 0 ? 0 : 2)}\n`;
}

async function policiesIn(path: string): Promise<readonly TablePolicies[] | 'other' | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (!found.isFile()) return 'other';
  try {
    return [...(await readPolicies(path))].map(([name, acl]) => ({ name, policies: decodeSignedIdentifiers(acl) }));
  } catch (error) {
    if (error instanceof FileFault) return 'other';
    throw error;
  }
}
