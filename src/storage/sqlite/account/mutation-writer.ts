import type { Mutation } from '../../../model/mutation.ts';
import { createMomentFormat, type Ticks } from '../../../model/ticks.ts';
import { type CurrentEntity, decideMutation, type MutationPlan, planMutation } from '../../decide-mutation.ts';
import type { AppliedEntity, RefusedMutation } from '../../store.ts';
import { encodeKeyPart } from '../file/key-order.ts';
import type { Statements } from '../file/statements.ts';

/** The time of a write, as ticks and as text. */
export interface Moment {
  readonly ticks: Ticks;
  readonly timestamp: string;
}

type StoredKey = readonly [tableId: number, partitionKey: string, rowKey: string];

/** A row of `getForUpdate`. */
interface CurrentRow {
  readonly id: number;
  readonly seconds: number;
  readonly fraction: number;
  readonly properties: string;
}

/** Applies mutations inside a transaction. */
export class MutationWriter {
  readonly #statements: Statements;
  readonly #formatMoment = createMomentFormat();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Applies one mutation, or refuses it without having changed anything. */
  apply(tableId: number, mutation: Mutation, now: Moment): AppliedEntity | RefusedMutation {
    const key: StoredKey = [tableId, encodeKeyPart(mutation.partitionKey), encodeKeyPart(mutation.rowKey)];
    const plan = planMutation(mutation);
    return plan ? this.#applyPlan(plan, key, now) : this.#readAndApply(mutation, key, now);
  }

  /** Runs one statement, which itself checks whether the entity exists. */
  #applyPlan(plan: MutationPlan, key: StoredKey, now: Moment): AppliedEntity | RefusedMutation {
    const { insertEntity, upsertEntity, replaceEntity, deleteEntityByKey } = this.#statements;
    switch (plan.kind) {
      case 'insert':
        if (insertEntity.run(...key, now.ticks, plan.properties).changes === 0) return exists;
        break;
      case 'upsert':
        upsertEntity.run(...key, now.ticks, plan.properties);
        break;
      case 'update':
        if (replaceEntity.run(now.ticks, plan.properties, ...key).changes === 0) return missing;
        break;
      case 'delete':
        return deleteEntityByKey.run(...key).changes === 0 ? missing : applied(now, '');
    }
    return applied(now, plan.properties);
  }

  #readAndApply(mutation: Mutation, key: StoredKey, now: Moment): AppliedEntity | RefusedMutation {
    const { getForUpdate, insertEntity, updateEntity, deleteEntity } = this.#statements;
    const row = getForUpdate.get(...key) as CurrentRow | undefined;
    const decision = decideMutation(row && this.#currentOf(row), mutation);
    switch (decision.kind) {
      case 'write':
        if (row) updateEntity.run(now.ticks, decision.properties, row.id);
        else insertEntity.run(...key, now.ticks, decision.properties);
        return applied(now, decision.properties);
      case 'delete':
        deleteEntity.run(row?.id);
        return applied(now, '');
      default:
        return decision;
    }
  }

  #currentOf({ seconds, fraction, properties }: CurrentRow): CurrentEntity {
    return { timestamp: this.#formatMoment(seconds, fraction), properties };
  }
}

const exists: RefusedMutation = { kind: 'exists' };
const missing: RefusedMutation = { kind: 'missing' };

function applied({ timestamp }: Moment, properties: string): AppliedEntity {
  return { timestamp, properties };
}
