import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Schedule, systemSchedule } from '../../../model/schedule.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { SharedRead } from '../file/shared-read.ts';
import { prepareStatements, type Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';
import { TableDirectory } from './table-directory.ts';

/** What a read uses within one turn of the event loop. */
export interface Reading {
  readonly statements: Statements;
  readonly directory: TableDirectory;
}

/** Memory for pages of the second connection, in KiB. This connection is seldom used. */
const pageCacheKib = 512;

/**
 * Lets reads see only committed state. While no group of writes is open, reads use the writer's connection, which is
 * the cheapest way. While a group stays open between turns of the event loop, the writer's connection sees changes that
 * may be rolled back. Reads then use a second connection to the file, which is opened when it is first needed. A
 * database in memory cannot have a second connection, so its reads wait until the group is closed.
 */
export class CommittedReads implements Participant {
  readonly #writer: Pick<GroupCommit, 'isOpen' | 'whenClosed'>;
  readonly #main: Connection;
  readonly #schedule: Pick<Schedule, 'nextTurn'>;
  #second: Connection | undefined;
  /** The identity of the writer's file; undefined if there is none, or a second connection cannot be opened. */
  #file: FileIdentity | undefined;

  /** `main`: statements of the writer's connection. */
  constructor(
    writer: Pick<GroupCommit, 'isOpen' | 'whenClosed'>,
    main: Reading,
    schedule: Pick<Schedule, 'nextTurn'> = systemSchedule,
  ) {
    const { database } = main.statements.commit;
    this.#writer = writer;
    this.#schedule = schedule;
    this.#main = { ...main, shared: new SharedRead(main.statements, schedule) };
    this.#file = database.memory ? undefined : identify(database.name);
  }

  /** Returns undefined if reads can be answered now, and otherwise a promise that resolves when they can. */
  whenReadable(): Promise<void> | undefined {
    if (!this.#writer.isOpen) return undefined;
    this.#second ??= this.#open();
    return this.#second ? undefined : this.#writer.whenClosed();
  }

  /** May be used only when reads can be answered: see `whenReadable`. */
  get reading(): Reading {
    return this.#current;
  }

  /** Like `reading`, but lets all reads of the turn share a transaction. */
  share(): Reading {
    const connection = this.#current;
    connection.shared.share();
    return connection;
  }

  /** Ends the transactions that reads share. */
  end(): void {
    this.#main.shared.end();
    this.#second?.shared.end();
  }

  /** Ends the read transaction of the second connection, which would still see the previous state. */
  committed(): void {
    this.#second?.shared.end();
    this.#second?.directory.forget();
  }

  /** Nothing to do: reads have not seen the changes. */
  rolledBack(): void {}

  close(): void {
    this.end();
    this.#second?.statements.commit.database.close();
    this.#second = undefined;
    this.#file = undefined;
  }

  get #current(): Connection {
    return (this.#writer.isOpen && this.#second) || this.#main;
  }

  /** Opens the second connection. If this fails, reads wait for open groups until the account is opened again. */
  #open(): Connection | undefined {
    const file = this.#file;
    if (!file) return undefined;
    let database: Database.Database | undefined;
    try {
      database = new Database(file.name, { readonly: true, fileMustExist: true, timeout: 0 });
      const now = identify(file.name);
      if (now?.device !== file.device || now.inode !== file.inode) throw new Error(`${file.name} was replaced`);
      database.pragma(`cache_size = -${pageCacheKib}`);
      const statements = prepareStatements(database);
      const shared = new SharedRead(statements, this.#schedule);
      return { statements, directory: new TableDirectory(statements), shared };
    } catch {
      database?.close();
      this.#file = undefined;
      return undefined;
    }
  }
}

interface Connection extends Reading {
  readonly shared: SharedRead;
}

/** Distinguishes a file from another one that has replaced it. */
interface FileIdentity {
  readonly name: string;
  readonly device: bigint;
  readonly inode: bigint;
}

function identify(name: string): FileIdentity | undefined {
  const found = statSync(name, { bigint: true, throwIfNoEntry: false });
  return found && { name, device: found.dev, inode: found.ino };
}
