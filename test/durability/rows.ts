// What fails, what a client sees then, and what is lost. A test injects the failure of each row, and `without` removes the handling
// from the source, where the test must fail. scripts/durability.mjs makes docs/durability.md from this, runs the tests, and removes the
// handling.

/** A test by its file and a part of its title. */
export interface Injection {
  readonly file: string;
  readonly title: string;
  /** Part of a file below `src` that is replaced. Its text is in the file once. */
  readonly without: { readonly file: string; readonly text: string; readonly by: string };
}

export interface Effect {
  readonly client: string;
  readonly lost: string;
  readonly shown: Injection;
}

export interface DurabilityRow {
  readonly fails: string;
  /** Over files, with SQLite; absent where it cannot fail. */
  readonly files?: Effect;
  /** With `--store`, over PostgreSQL. */
  readonly database?: Effect;
}

const nothing = 'nothing that was acknowledged';

export const durabilityRows: readonly DurabilityRow[] = [
  {
    fails: 'The process, or that of the database, is killed (`kill -9`)',
    files: {
      client: 'The connection ends. A request without a response has happened or has not, a transaction as a whole.',
      lost: `${nothing}, but with \`--durability none\``,
      shown: {
        file: 'test/crash/crash.test.ts',
        title: 'has every acknowledged write after a restart, and no partial one',
        without: {
          file: 'storage/sqlite/file/group-commit.ts',
          text: '      beforeCommit();\n      isCommitting = true;\n',
          by: `      for (const [at, result] of (this.#group?.results ?? []).entries()) this.#queue[at]?.resolve(result);
      if (machineTime.monotonicMs() - (this.#lockedSinceMs ??= machineTime.monotonicMs()) < 100) {
        this.#isScheduled = true;
        machineTime.after(100, () => this.#takeTurn());
        return;
      }
      beforeCommit();
      isCommitting = true;
`,
        },
      },
    },
    database: {
      client: 'The same; other nodes go on. Without its database a node answers 503.',
      lost: `${nothing}, unless the database is told to acknowledge before it syncs`,
      shown: {
        file: 'test/cluster/cluster.test.ts',
        title: 'answer as one service while nodes and the database are killed',
        without: {
          file: 'storage/postgres/database.ts',
          text: 'SET plan_cache_mode = force_generic_plan;',
          by: 'SET plan_cache_mode = force_generic_plan; SET synchronous_commit = off;',
        },
      },
    },
  },
  {
    fails: 'Power is lost',
    files: {
      client: 'The connection ends, as above.',
      lost: 'with `--durability power` nothing that was acknowledged, where the disk honours sync; with `process`, the default, also what the operating system had not written yet',
      shown: {
        file: 'test/simulation/simulation.test.ts',
        title: 'loses nothing that it acknowledged and does nothing that it refused',
        without: {
          file: 'storage/sqlite/file/account-file.ts',
          text: "power: 'FULL'",
          by: "power: 'NORMAL'",
        },
      },
    },
  },
  {
    fails: 'The disk is full, or a quota is used up',
    files: {
      client:
        '500 to what grows. Reads, deletions and restores go on; `ready` says why, and is 200 again without a restart.',
      lost: nothing,
      shown: {
        file: 'test/unit/storage/sqlite/file/full-disk.test.ts',
        title: 'make ready answer 503 until writes succeed again',
        without: {
          file: 'storage/sqlite/file/disk-reserve.ts',
          text: '    this.#isFull = true;\n',
          by: '',
        },
      },
    },
    database: {
      client: '503 ServerBusy to what grows, so that clients try again. Reads go on.',
      lost: nothing,
      shown: {
        file: 'test/durability/disk-errors.test.ts',
        title: 'refuses writes that need space with 503, answers reads, and accepts writes again when there is space',
        without: {
          file: 'storage/postgres/failures.ts',
          text: '/^(53|57|58|55P03|25006)/',
          by: '/^(57|58|55P03|25006)/',
        },
      },
    },
  },
  {
    fails: 'The disk fails to read (EIO)',
    files: {
      client: '500 to what needs the page. `ready` names the account; other accounts go on.',
      lost: 'what the disk does not return, until it does',
      shown: {
        file: 'test/durability/disk-errors.test.ts',
        title: 'in reads refuses what needs them with 500, names the account, and serves other accounts',
        without: {
          file: 'storage/sqlite/file/account-file.ts',
          // SQLite reports a failed read of an entity's later pages as a damaged file.
          text: '/^SQLITE_(CORRUPT|NOTADB)/',
          by: '/^NEVER$/',
        },
      },
    },
  },
  {
    fails: 'The disk fails to write (EIO)',
    files: {
      client: '500 to the writes that arrived at the same moment. Reads and later writes go on.',
      lost: `${nothing}; what was refused is not done`,
      shown: {
        file: 'test/unit/storage/sqlite/file/full-disk.test.ts',
        title: 'with EIO are reported as such, and no disk is called full',
        without: {
          file: 'storage/sqlite/file/account-file.ts',
          text: '/^SQLITE_(IOERR|READONLY|CANTOPEN|PERM)/',
          by: '/^NEVER$/',
        },
      },
    },
  },
  {
    fails: 'The disk fails to sync (EIO)',
    files: {
      client: 'With `--durability power` 500 to the writes that wait for it. Later writes go on.',
      lost: `${nothing}; what was refused is not done`,
      shown: {
        file: 'test/durability/disk-errors.test.ts',
        title: 'in syncs refuses the write with 500, does not do it, and keeps what was acknowledged',
        without: {
          file: 'storage/sqlite/file/account-file.ts',
          text: "power: 'FULL'",
          by: "power: 'NORMAL'",
        },
      },
    },
  },
  {
    fails: 'A page of a file is damaged',
    files: {
      client: '500 to what needs the page. `ready` names the account; the rest is served.',
      lost: 'what was on the page: restore the file from a backup',
      shown: {
        file: 'test/conformance/control-plane/ready.test.ts',
        title: 'answers 503 to ready once a page of an account could not be read',
        without: {
          file: 'storage/sqlite/file/account-file.ts',
          text: '/^SQLITE_(CORRUPT|NOTADB)/',
          by: '/^NEVER$/',
        },
      },
    },
  },
  {
    fails: 'The clock steps back',
    files: {
      client: 'Nothing: timestamps and ETags go on from the last one.',
      lost: 'nothing',
      shown: {
        file: 'test/conformance/etags.test.ts',
        title: 'grows when the clock steps back',
        without: {
          file: 'storage/sqlite/account/timestamp-allocator.ts',
          text: 'now > this.#lastTicks ? now : this.#lastTicks + 1n',
          by: 'now',
        },
      },
    },
    database: {
      client: 'Nothing, also where the clocks of nodes differ: timestamps of a partition increase.',
      lost: 'nothing',
      shown: {
        file: 'test/unit/storage/postgres/several-nodes.test.ts',
        title: 'promise 5: timestamps increase within a partition, with clocks five seconds apart',
        without: {
          file: 'storage/postgres/statements.ts',
          text: "lastWrite('m.last_ticks')}, $4::bigint - 1,",
          by: "'null::bigint'}, $4::bigint - 1,",
        },
      },
    },
  },
  {
    fails: 'The log is closed, full, or not read',
    files: {
      client: 'Nothing. Lines are dropped, and counted in `tanzanite_log_lines_dropped_total`.',
      lost: 'lines of the log',
      shown: {
        file: 'test/unit/cli/log-destinations.test.ts',
        title: 'whose reader has exited does not end the process',
        without: {
          file: 'cli/line-writer.ts',
          text: 'if (error) this.#retry(error);',
          by: 'if (error) throw error;',
        },
      },
    },
  },
  {
    fails: 'A client is gone without a word (a half-open socket)',
    files: {
      client: 'Its connection is closed after a minute in which it takes no bytes. Others are served.',
      lost: 'nothing',
      shown: {
        file: 'test/unit/http/connections.test.ts',
        title: 'ends with its connection if the client reads nothing for a minute',
        without: {
          file: 'http/watch-writing.ts',
          text: '      socket.destroy();\n',
          by: '',
        },
      },
    },
  },
  {
    fails: 'A connection to the database breaks',
    database: {
      client: '500 to a write that may have happened. All else is carried out over another connection.',
      lost: 'nothing; no write is done twice',
      shown: {
        file: 'test/unit/storage/postgres/broken-connections.test.ts',
        title: 'promise 4: nor is a write that is one statement repeated',
        without: {
          file: 'storage/postgres/failures.ts',
          text: 'new ConnectionFailure(error, { isUncertain: isWrite })',
          by: 'new ConnectionFailure(error, { isUncertain: false })',
        },
      },
    },
  },
  {
    fails: 'The database hangs (a half-open socket to it)',
    database: {
      client: '503 ServerBusy within seconds; `ready` is 503, and 200 again when the database answers.',
      lost: nothing,
      shown: {
        file: 'test/cluster/outage.test.ts',
        title: 'answers while the database hangs, then recovers by itself',
        without: {
          file: 'storage/postgres/database.ts',
          text: 'const answerMsMax = statementMsMax + 1_500;',
          by: 'const answerMsMax = 600_000;',
        },
      },
    },
  },
  {
    fails: 'The database is gone',
    database: {
      client:
        '503 ServerBusy; 500 to a write that was on its way. `ready` is 503, and 200 again when the database is back.',
      lost: nothing,
      shown: {
        file: 'test/cluster/outage.test.ts',
        title: 'refuses requests with ServerBusy and is not ready, then recovers by itself',
        without: {
          file: 'service/error-response.ts',
          text: "failure.reason === 'unreachable'",
          by: "failure.reason === 'locked'",
        },
      },
    },
  },
  {
    fails: 'A standby takes the place of the primary',
    database: {
      client: '503 ServerBusy, or 500 to a write that was on its way, until nodes reach the new primary.',
      lost: 'with a synchronous standby nothing that was acknowledged',
      shown: {
        file: 'test/durability/standby.test.ts',
        title: 'a write that the standby did not confirm is not acknowledged',
        without: {
          file: 'storage/postgres/database.ts',
          text: "new Set(['01000', '57P01'])",
          by: 'new Set()',
        },
      },
    },
  },
];
