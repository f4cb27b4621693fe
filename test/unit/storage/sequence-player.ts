// Carries out the steps of a sequence on a store, and records everything that can be observed.

import type { IfMatch } from '../../../src/model/etag.ts';
import type { Mutation } from '../../../src/model/mutation.ts';
import { formatTicks } from '../../../src/model/ticks.ts';
import type { AccountStore } from '../../../src/storage/store.ts';
import { anyState, contentsOf, tableNamed, ticksOf } from '../../support/entities.ts';
import type { Apply, Change, Step } from './sequence-steps.ts';

export interface PlayedStore {
  readonly account: AccountStore;
  /** Changes the date of the store's clock. */
  stepDate(ms: number): void;
  /** Closes and opens the store. Absent for a store that does not keep data. */
  readonly reopen?: () => Promise<AccountStore>;
  /** Whether calls of one turn may take effect in any order, and timestamps increase only within each partition. */
  readonly isShared?: boolean;
}

const everything = ['Empty', 'Pets', 'Plants'];
const timestamps = new Set(['timestamp', 'createdAt', 'current', 'savedAt']);

/** The result of a step and the contents after it, as text. Moments are replaced by ordinal numbers. */
export type Observation = string;

export class SequencePlayer {
  readonly #store: PlayedStore;
  #account: AccountStore;
  readonly #moments = new Moments();

  constructor(store: PlayedStore) {
    this.#store = store;
    this.#account = store.account;
  }

  async play(step: Step): Promise<Observation> {
    const answer = await this.#answer(step);
    const after = await this.#lookAround();
    return JSON.stringify({ answer, after }, (name, value: unknown) => this.#withoutTime(name, value));
  }

  #answer(step: Step): Promise<unknown> {
    const account = this.#account;
    switch (step.kind) {
      case 'createTable':
        return account.createTable(tableNamed(step.table));
      case 'deleteTable':
        return account.deleteTable(step.table);
      case 'clearTable':
        return account.clearTable(step.table);
      case 'clear':
        return account.clear();
      case 'get':
        return account.get(step.table, step.key);
      case 'page':
        return account.scan({
          table: step.table,
          range: { from: step.from },
          limit: step.limit,
          bytesMax: step.bytesMax,
          timeMsMax: 5000,
        });
      case 'tables':
        return account.listTables({ from: step.from, limit: step.limit });
      case 'clock':
        this.#store.stepDate(step.ms);
        return Promise.resolve('stepped');
      case 'save':
        return account.saveSnapshot({ name: step.name, table: step.table });
      case 'restore':
        return account.restoreSnapshot({ name: step.name, table: step.table });
      case 'deleteSnapshot':
        return account.deleteSnapshot(step.name);
      case 'burst':
        return this.#burst(step.applies, step.closing);
    }
  }

  async #burst(applies: readonly Apply[], closing: boolean): Promise<unknown> {
    const mutations: Mutation[][] = [];
    for (const { table, changes } of applies) {
      mutations.push(await Promise.all(changes.map((change) => this.#mutationOf(table, change))));
    }
    if (this.#store.isShared) return this.#oneByOne(applies, mutations);
    const answers = applies.map(({ table }, index) => this.#account.apply(table, mutations[index] ?? []));
    if (closing && this.#store.reopen) this.#account = await this.#store.reopen();
    return Promise.all(answers);
  }

  async #oneByOne(applies: readonly Apply[], mutations: readonly Mutation[][]): Promise<unknown> {
    const answers: unknown[] = [];
    for (const [index, { table }] of applies.entries()) {
      answers.push(await this.#account.apply(table, mutations[index] ?? []));
    }
    return answers;
  }

  async #mutationOf(table: string, { kind, key, properties, condition }: Change): Promise<Mutation> {
    if (kind === 'insert' || kind === 'insertOrReplace' || kind === 'insertOrMerge')
      return { kind, ...key, properties };
    const outcome = await this.#account.get(table, key);
    const ticks = outcome.kind === 'found' ? ticksOf(outcome.entity.timestamp) : 1n;
    const since = formatTicks(condition === 'current' ? ticks : ticks - 1n);
    const ifMatch: IfMatch = condition === 'any' ? anyState : { kind: 'unchanged', since };
    return kind === 'delete' ? { kind, ...key, ifMatch } : { kind, ...key, properties, ifMatch };
  }

  async #lookAround(): Promise<unknown> {
    const { tables } = await this.#account.listTables({ limit: 100 });
    const contents = [];
    for (const name of everything) {
      const { kind } = await this.#account.findTable(name);
      contents.push(kind === 'found' ? await contentsOf(this.#account, name) : kind);
    }
    return { tables, contents, snapshots: await this.#account.listSnapshots() };
  }

  #withoutTime(name: string, value: unknown): unknown {
    if (!timestamps.has(name) || typeof value !== 'string') return value;
    return this.#store.isShared ? 'some moment' : this.#moments.ordinalOf(ticksOf(value));
  }
}

/**
 * Numbers each moment in the order in which it is first seen. The times of two stores may differ, but the order of the
 * times must be the same.
 */
class Moments {
  readonly #ordinals = new Map<bigint, number>();
  #last = 0n;

  ordinalOf(ticks: bigint): string {
    const known = this.#ordinals.get(ticks);
    if (known !== undefined) return `moment ${known}`;
    if (ticks <= this.#last) return `moment ${ticks}, which is not after ${this.#last}`;
    this.#last = ticks;
    this.#ordinals.set(ticks, this.#ordinals.size);
    return `moment ${this.#ordinals.size - 1}`;
  }
}
