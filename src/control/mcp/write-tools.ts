// The tools that change something. They are offered only if the user allows changes.

import { EntityFault, type FileEntity, readFileEntity } from '../../data/file-entity.ts';
import { twiceText } from '../../data/file-fault.ts';
import { parseRules } from '../../faults/parse-rule.ts';
import { decodeProperties } from '../../model/properties.ts';
import { parseTableName, type TableName } from '../../model/table-name.ts';
import { insertEntity, insertOrMergeEntity, insertOrReplaceEntity } from '../../operations/entity-writes.ts';
import { mutationRefusal } from '../../operations/refusals.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, checkAccount } from '../control-route.ts';
import { reset } from '../data/reset.ts';
import { rowOfEntity } from '../data/sample-table.ts';
import { restoreSnapshot, saveSnapshot } from '../data/snapshots.ts';
import { addFaultRules } from '../faults/faults.ts';
import { unknownTable } from '../observe/unknown-table.ts';
import { entityObject } from './read-tools.ts';
import type { ToolContext } from './tool-context.ts';

interface Place {
  readonly account?: string;
  readonly table: string;
}

interface PutInput extends Place {
  readonly entity: object;
  readonly mode?: keyof typeof writes;
}

const writes = { replace: insertOrReplaceEntity, merge: insertOrMergeEntity, insert: insertEntity } as const;

export async function putEntity(input: PutInput, { tools }: ToolContext): Promise<object> {
  const { table, mode = 'replace' } = input;
  const { partitionKey, rowKey, properties } = readEntity(input.entity, '"entity"');
  const account = accountNamed(input.account, await tools.accountNames());
  if (!(await tools.store.exists(account))) throw unknownTable('tableMissing', { account, table });
  const { mutation } = writes[mode]({
    table,
    entity: { partitionKey, rowKey, properties: decodeProperties(properties) },
  });
  const outcome = await tools.store.account(account).apply(table, [mutation]);
  if ('failedAt' in outcome) throw mutationRefusal(outcome, mutation);
  if (outcome.kind !== 'applied') throw unknownTable(outcome.kind, { account, table });
  const [written] = outcome.entities;
  return {
    account,
    table,
    ...(written && { entity: entityObject(rowOfEntity({ partitionKey, rowKey, ...written })) }),
  };
}

function readEntity(value: object, place: string): FileEntity {
  try {
    return readFileEntity(JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof EntityFault)) throw error;
    throw new ControlError('InvalidRequest', `${place}: ${error.message}.`);
  }
}

interface SeedInput extends Place {
  readonly entities: readonly object[];
}

/** Writes all entities, or changes nothing. */
export async function seedTable(input: SeedInput, { tools }: ToolContext): Promise<object> {
  const name = tableNamed(input.table);
  const entities = input.entities.map((one, at) => readEntity(one, `"entities" ${at}`));
  if (input.account !== undefined) checkAccount(input.account, tools.accounts);
  const account = input.account ?? accountNamed(undefined, await tools.accountNames());
  const load = await tools.store.account(account).beginLoad();
  try {
    await load.addTable({ name });
    const added = await load.addEntities(name, entities);
    if (added.kind === 'duplicate') {
      throw new ControlError(
        'DuplicateEntity',
        `"entities" ${added.at}: ${twiceText(entities[added.at] as FileEntity)}.`,
      );
    }
    const outcome = await load.finish();
    if (outcome.kind === 'tableBeingDeleted')
      throw unknownTable('tableBeingDeleted', { account, table: outcome.table });
  } finally {
    // After `finish`, this does nothing.
    await load.abandon();
  }
  tools.onReset(account, name);
  return { account, table: name, loaded: entities.length };
}

function tableNamed(text: string): TableName {
  try {
    return parseTableName(text);
  } catch {
    throw new ControlError(
      'InvalidRequest',
      '"table": a name has 3 to 63 letters and digits, a letter first, and is not Tables.',
    );
  }
}

export async function resetData(
  { account, table }: { readonly account: string; readonly table?: string },
  { tools }: ToolContext,
): Promise<object> {
  return reset({ account, ...(table !== undefined && { table }) }, tools);
}

interface SnapshotInput {
  readonly account?: string;
  readonly table?: string;
  readonly name: string;
}

export const saveSnapshotAs = ({ name, ...target }: SnapshotInput, { tools }: ToolContext): Promise<object> =>
  saveSnapshot(name, target, tools);

export const restoreSnapshotOf = ({ name, ...target }: SnapshotInput, { tools }: ToolContext): Promise<object> =>
  restoreSnapshot(name, target, tools);

export async function stageFaultRules(
  { rules }: { readonly rules: readonly object[] },
  { tools }: ToolContext,
): Promise<object> {
  return { ids: await addFaultRules(() => parseRules(rules), tools) };
}

export async function clearFaultRules(_input: object, { tools }: ToolContext): Promise<object> {
  return { removed: await tools.faults.clear() };
}

export async function advanceClock({ ms }: { readonly ms: number }, { tools }: ToolContext): Promise<object> {
  try {
    return await tools.serviceClock.change({ kind: 'advance', ms });
  } catch (error) {
    throw error instanceof RangeError ? new ControlError('InvalidRequest', `"ms": ${error.message}.`) : error;
  }
}
