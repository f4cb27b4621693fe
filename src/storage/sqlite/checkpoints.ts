import type { CheckpointRequest, CheckpointThread } from './checkpoint-thread.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Statements } from './statements.ts';

/** Pages that the WAL has beyond the database file when a checkpoint begins: 4 MiB, SQLite's own default. */
const duePages = 1_000;
/** Pages of the WAL, 16 MiB, at which writes wait so that it can start over. At SQLite's default they would wait too often (ADR 0012). */
const walPagesMax = 4_000;

/**
 * Keeps the WAL of one database small. SQLite writes a WAL from its start again only after a checkpoint that left nothing in it,
 * and a checkpoint copies what was there when it began. While writes go on there is always more, so when the WAL has grown large,
 * they wait for one more checkpoint, which has little left to copy.
 */
export class Checkpoints {
  readonly #statements: Statements;
  readonly #writer: Pick<GroupCommit, 'pauseWhile'>;
  readonly #thread: CheckpointThread;
  readonly #request: CheckpointRequest;
  #running: Promise<void> | undefined;
  #dueAt = duePages;

  constructor(statements: Statements, writer: Pick<GroupCommit, 'pauseWhile'>, thread: CheckpointThread) {
    const { database } = statements.walState;
    this.#statements = statements;
    this.#writer = writer;
    this.#thread = thread;
    this.#request = { file: database.name, synchronous: String(database.pragma('synchronous', { simple: true })) };
    database.pragma('wal_autocheckpoint = 0');
  }

  get isIdle(): boolean {
    return !this.#running;
  }

  /** Resolves when no checkpoint is running. Never rejects. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Begins a checkpoint if one is due. To be called after each commit. */
  noteCommit(): void {
    if (this.#running || pagesLeft(this.#walState()) < this.#dueAt) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const outcome = await this.#thread.checkpoint(this.#request);
    const state = this.#walState();
    if (outcome === 'done' && state.log >= walPagesMax && pagesLeft(state) > 0) {
      await this.#writer.pauseWhile(() => this.#thread.checkpoint(this.#request));
    }
    // After a failure, such as a full disk, the next attempt comes after as many pages again.
    this.#dueAt = pagesLeft(this.#walState()) + duePages;
    if (!this.#thread.isUsable) this.#statements.walState.database.pragma(`wal_autocheckpoint = ${duePages}`);
  }

  /** Never throws: the commit after which it is read has succeeded. */
  #walState(): WalState {
    try {
      return this.#statements.walState.get() as WalState;
    } catch {
      return { log: 0, checkpointed: 0 };
    }
  }
}

/** Pages in the WAL, and how many of them are in the database file too. */
interface WalState {
  readonly log: number;
  readonly checkpointed: number;
}

const pagesLeft = ({ log, checkpointed }: WalState): number => log - checkpointed;
