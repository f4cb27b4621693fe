// A snapshot stores copies of the entities under table ids that belong only to the snapshot. The database itself makes
// the copies, in the transaction that saves or restores the snapshot. So every node sees the state either before or
// after that transaction.

import type { SnapshotRecord } from '../../model/snapshot.ts';
import {
  type DeleteSnapshotOutcome,
  type RestoreSnapshotOutcome,
  type RestoreSnapshotParams,
  type SaveSnapshotOutcome,
  type SaveSnapshotParams,
  snapshotsMax,
} from '../store.ts';
import { type AccountTools, timestampOf } from './account-tools.ts';
import { RolledBack, type Row, type Run } from './database.ts';
import { decodeKeyBytes, encodeKeyBytes } from './key-bytes.ts';
import { tableTargetOf } from './table-target.ts';

interface FoundSnapshot {
  readonly id: string;
  readonly record: SnapshotRecord;
}

export class PostgresSnapshots {
  readonly #tools: AccountTools;

  constructor(tools: AccountTools) {
    this.#tools = tools;
  }

  async list(): Promise<readonly SnapshotRecord[]> {
    const { database, statements } = this.#tools.options;
    const rows = await database.read(statements.listSnapshots, [this.#tools.name]);
    return rows.map(([name, ...rest]) => recordOf(decodeKeyBytes(name as string), rest));
  }

  async save({ name, table }: SaveSnapshotParams): Promise<SaveSnapshotOutcome> {
    const { statements, isDistributed, onDropped } = this.#tools.options;
    const account = this.#tools.name;
    const target = table === undefined ? undefined : tableTargetOf(account, table);
    if (table !== undefined && !target) return { kind: 'tableMissing' };
    const save = async (run: Run): Promise<SaveSnapshotOutcome | RolledBack<SaveSnapshotOutcome>> => {
      if (target && (await run(statements.findTable, [account, target.lookup])).length === 0) {
        return new RolledBack({ kind: await this.#tools.absenceOf(run, target) });
      }
      const replaced = await this.#find(run, name);
      const [counted] = await run(statements.countSnapshots, [account]);
      if (!replaced && Number(counted?.[0]) >= snapshotsMax) return new RolledBack({ kind: 'tooManySnapshots' });
      if (replaced) await run(statements.deleteSnapshot, [replaced.id]);
      const [inserted] = await run(statements.insertSnapshot, [account, encodeKeyBytes(name), target === undefined]);
      const id = inserted?.[0] as string;
      // Citus workers do not share a snapshot, so writers wait for the copy.
      if (isDistributed) await run(statements.lockTables, [account, target?.lookup ?? null]);
      const copies = await run(statements.saveTables, [id, account, target?.lookup ?? null]);
      if (isDistributed) await this.#copyTables(run, copies);
      else await run(statements.saveEntities, [id]);
      return { kind: 'saved', snapshot: ((await this.#find(run, name)) as FoundSnapshot).record };
    };
    const outcome = await this.#tools.change<SaveSnapshotOutcome>(save, { isLong: true });
    onDropped();
    return outcome;
  }

  async restore({ name, table }: RestoreSnapshotParams): Promise<RestoreSnapshotOutcome> {
    const { statements, onServiceProperties, onDropped, payFor } = this.#tools.options;
    const account = this.#tools.name;
    let isWhole = false;
    let written = { rows: 0, tables: 0 };
    const restore = async (run: Run): Promise<RestoreSnapshotOutcome | RolledBack<RestoreSnapshotOutcome>> => {
      const found = await this.#find(run, name);
      if (!found) return new RolledBack({ kind: 'snapshotMissing' });
      const only = table ?? found.record.table;
      const lookup = only === undefined ? null : (tableTargetOf(account, only)?.lookup ?? '');
      const copies = await run(statements.copyTables, [found.id, lookup]);
      if (lookup !== null && copies.length === 0) return new RolledBack({ kind: 'tableNotSaved' });
      written = { rows: await this.#copyEntities(run, copies), tables: copies.length };
      // The tables are locked only now, so that writers wait only briefly, and not for the copy.
      isWhole = lookup === null;
      if (lookup === null) {
        const kept = copies.map(([key]) => key as string);
        await this.#tools.removeAll(run, kept);
        await run(statements.restoreServiceProperties, [account, found.id]);
      }
      for (const [key, , id, savedName, createdTicks, acl] of copies) {
        const values = [key, id, savedName, createdTicks, acl].map((value) => value ?? null);
        void run(statements.putTable, [account, ...values]);
      }
      return { kind: 'restored', snapshot: found.record };
    };
    const outcome = await this.#tools.change<RestoreSnapshotOutcome>(restore, { isLong: true });
    if (outcome.kind === 'restored' && isWhole) onServiceProperties(account);
    onDropped();
    await payFor(written);
    return outcome;
  }

  async delete(name: string): Promise<DeleteSnapshotOutcome> {
    const { statements, onDropped } = this.#tools.options;
    const outcome = await this.#tools.change<DeleteSnapshotOutcome>(async (run) => {
      const found = await this.#find(run, name);
      if (!found) return { kind: 'snapshotMissing' };
      await run(statements.deleteSnapshot, [found.id]);
      return { kind: 'deleted' };
    });
    onDropped();
    return outcome;
  }

  async #find(run: Run, name: string): Promise<FoundSnapshot | undefined> {
    const { findSnapshot } = this.#tools.options.statements;
    const [row] = await run(findSnapshot, [this.#tools.name, encodeKeyBytes(name)]);
    if (!row) return undefined;
    const [id, ...rest] = row;
    return { id: id as string, record: recordOf(name, rest) };
  }

  /** Returns the number of entities copied; 0 over Citus, which does not report this number. */
  async #copyEntities(run: Run, copies: readonly Row[]): Promise<number> {
    const { statements, isDistributed } = this.#tools.options;
    const ids = copies.map(([, source, target]) => [source ?? null, target ?? null] as const);
    if (isDistributed) {
      await this.#copyTables(run, ids);
      return 0;
    }
    const values = [ids.map(([source]) => source), ids.map(([, target]) => target)];
    const [copied] = await run(statements.copyEntities, values);
    return Number(copied?.[0]);
  }

  /** Each row has the id of a table and the id of its copy. */
  async #copyTables(run: Run, copies: readonly Row[]): Promise<void> {
    for (const ids of copies) await run(this.#tools.options.statements.copyTable, ids);
  }
}

function recordOf(name: string, [savedTicks, isWhole, tables, firstTable]: Row): SnapshotRecord {
  const only = isWhole === 't' || firstTable == null ? {} : { table: firstTable };
  return { name, savedAt: timestampOf(savedTicks), tables: Number(tables), ...only };
}
