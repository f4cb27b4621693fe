// Fills and reads the tables of a running emulator through its control plane. `/_emulator/seed` loads entities;
// `/_emulator/export` returns them as lines.

import type { ExportedTable, ExportSource } from '../data/export.ts';
import { fileLine } from '../data/file-entity.ts';
import { LineFault } from '../data/file-fault.ts';
import type { SeedTarget } from '../data/seed.ts';
import { decodeSignedIdentifiers } from '../model/access-policy.ts';
import { askEmulator, type ControlAddress, streamFromEmulator } from './ask-emulator.ts';
import { ControlRefusal } from './exit-codes.ts';

export interface ControlTables extends ControlAddress {
  readonly account?: string;
}

/** With `keepsTimestamps`, entities keep the timestamps that they have. Throws NoAnswer. */
export async function openControlSeed(
  { account, ...emulator }: ControlTables,
  { keepsTimestamps = false }: { readonly keepsTimestamps?: boolean } = {},
): Promise<SeedTarget> {
  const body = account === undefined ? {} : { account };
  const { load } = await askEmulator({ method: 'POST', path: 'seed', body, expects: 'load' }, emulator);
  const path = `seed/${String(load)}`;
  const addLines = async (table: string, body: Buffer): Promise<number> => {
    const question = { method: 'POST', path: `${path}/tables/${table}`, body } as const;
    const { added } = await askEmulator({ ...question, expects: 'added' }, emulator);
    return Number(added);
  };
  return {
    async addTable(name, policies) {
      const signedIdentifiers = policies === undefined ? [] : decodeSignedIdentifiers(policies);
      const body = { signedIdentifiers, keepsTimestamps };
      await askEmulator({ method: 'PUT', path: `${path}/tables/${name}`, body, expects: 'table' }, emulator);
    },
    async addEntities(table, entities) {
      try {
        await addLines(table, Buffer.from(entities.map((entity) => `${fileLine(entity)}\n`).join('')));
      } catch (error) {
        if (error instanceof ControlRefusal && error.code === 'DuplicateEntity' && error.line !== undefined) {
          return error.line - 1;
        }
        throw error;
      }
      return undefined;
    },
    async addLines(table, bytes) {
      try {
        return await addLines(table, bytes);
      } catch (error) {
        if (!(error instanceof ControlRefusal) || error.line === undefined) throw error;
        throw new LineFault(error.line, error.reason.replace(/^Line \d+: /, '').replace(/\.$/, ''));
      }
    },
    async finish() {
      await askEmulator({ method: 'POST', path: `${path}/finish`, expects: 'tables' }, emulator);
    },
    abandon: () => forget(path, emulator),
  };
}

const tableListBytesMax = 64 * 1_048_576;
/** The time limit for all lines of one table. */
const tableTimeoutMs = 86_400_000;

/** Every method may throw NoAnswer. `only` names the tables that can be read; without it, all can. */
export async function openControlExport(
  { account, ...emulator }: ControlTables,
  only: readonly string[] | undefined,
): Promise<ExportSource> {
  const body = { account, tables: only };
  const question = { method: 'POST', path: 'export', body, answerBytesMax: tableListBytesMax } as const;
  const { export: id, tables } = await askEmulator({ ...question, expects: 'export' }, emulator);
  const path = `export/${String(id)}`;
  return {
    tables: (tables as readonly ControlTable[]).map(({ name, signedIdentifiers }) => ({
      name,
      policies: signedIdentifiers,
    })),
    async *lines(table) {
      const question = { method: 'GET', path: `${path}/tables/${table}`, timeoutMs: tableTimeoutMs } as const;
      let rest = '';
      for await (const bytes of streamFromEmulator(question, emulator)) {
        // The lines are ASCII.
        const lines = (rest + bytes.toString('latin1')).split('\n');
        rest = lines.pop() ?? '';
        yield lines;
      }
    },
    close: () => forget(path, emulator),
  };
}

interface ControlTable {
  readonly name: string;
  readonly signedIdentifiers: ExportedTable['policies'];
}

/** Makes the emulator drop a load or an export. */
async function forget(path: string, emulator: ControlAddress): Promise<void> {
  for await (const _nothing of streamFromEmulator({ method: 'DELETE', path }, emulator)) break;
}
