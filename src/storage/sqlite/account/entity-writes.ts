import type { Mutation } from '../../../model/mutation.ts';
import type { AppliedEntity, ApplyOutcome } from '../../store.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import type { Statements } from '../file/statements.ts';
import type { AccountViews } from './account-views.ts';
import type { DeletedTables } from './deleted-tables.ts';
import { MutationWriter } from './mutation-writer.ts';
import type { TableCopies } from './table-copies.ts';
import type { TableDirectory } from './table-directory.ts';
import type { TimestampAllocator } from './timestamp-allocator.ts';
import type { WrittenTables } from './written-tables.ts';

export interface EntityWritesOptions {
  readonly statements: Statements;
  readonly directory: TableDirectory;
  readonly deleted: DeletedTables;
  readonly views: AccountViews;
  readonly copies: TableCopies;
  readonly timestamps: TimestampAllocator;
  readonly written: WrittenTables;
  readonly writer: GroupCommit;
}

/** Applies mutations to the entities of a table, all of them or none. */
export class EntityWrites {
  readonly #options: EntityWritesOptions;
  readonly #mutations: MutationWriter;

  constructor(options: EntityWritesOptions) {
    this.#options = options;
    this.#mutations = new MutationWriter(options.statements);
  }

  apply(table: string, mutations: readonly Mutation[]): Promise<ApplyOutcome> {
    const { writer, copies } = this.#options;
    const entities: AppliedEntity[] = [];
    const grows = mutations.some(({ kind }) => kind !== 'delete');
    const applied = writer.write(
      (isTimeOver) => {
        const result = this.#applyMore(table, mutations, { entities, isTimeOver });
        return result && { keep: result.kind === 'applied', result };
      },
      { needsSavepoint: mutations.length > 1, grows },
    );
    return applied.then(async (outcome) => {
      if (outcome.kind !== 'shared') return outcome;
      await copies.copy(outcome.tableId);
      return this.apply(table, mutations);
    });
  }

  /**
   * Applies the mutations that have no result in `entities` yet, and appends their results to `entities`. Returns
   * undefined if time runs out before the last mutation is applied.
   */
  #applyMore(
    name: string,
    mutations: readonly Mutation[],
    { entities, isTimeOver }: { readonly entities: AppliedEntity[]; readonly isTimeOver: () => boolean },
  ): ApplyOutcome | Shared | undefined {
    const { directory, deleted, views, copies, timestamps, written } = this.#options;
    const table = directory.find(name);
    if (!table) return { kind: deleted.absenceOf(name) };
    // The rows must not change during a copy, even if the snapshot has been deleted in the meantime.
    if (table.isShared || views.holds(table.id) || copies.has(table.id)) return { kind: 'shared', tableId: table.id };
    for (let at = entities.length; at < mutations.length; at++) {
      const mutation = mutations[at] as Mutation;
      const outcome = this.#mutations.apply(table.id, mutation, timestamps.next());
      if ('kind' in outcome) return { ...outcome, failedAt: at };
      entities.push(outcome);
      written.record(table.id, mutation);
      if (at + 1 < mutations.length && isTimeOver()) return undefined;
    }
    return { kind: 'applied', entities };
  }
}

/** The rows of the table must be copied before it is written. */
type Shared = { readonly kind: 'shared'; readonly tableId: number };
