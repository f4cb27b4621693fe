// What can fail, what a client then sees, and what is lost. Each row has a test that injects the failure of the row.
// `without` names the code in src that handles the failure. Without this code, the test must fail.
// scripts/durability.mjs makes docs/durability.md from this table, runs the tests, and removes the code to see that the
// tests fail.

/** A test: its file, and a part of its title. */
export interface Injection {
  readonly file: string;
  readonly title: string;
  /** A part of a file below `src` to replace. The text occurs exactly once in the file. */
  readonly without: { readonly file: string; readonly text: string; readonly by: string };
}

export interface Effect {
  readonly client: string;
  readonly lost: string;
  readonly shown: Injection;
}

export interface DurabilityRow {
  readonly fails: string;
  /** With the data in files, by SQLite. Absent if this cannot fail there. */
  readonly files?: Effect;
  /** With `--store`, in PostgreSQL. */
  readonly database?: Effect;
}

const nothing = 'nothing that was acknowledged';

export const durabilityRows: readonly DurabilityRow[] = [
  {
    fails: 'The process, or the process of the database, is killed (`kill -9`)',
    files: {
      client:
        'The connection ends. A request without a response was carried out completely or not at all, even a transaction.',
      lost: `${nothing}, except with \`--durability none\``,
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
      client: 'The same as over files. Other nodes go on. A node that has lost its database answers 503.',
      lost: `${nothing}, unless the database is configured to acknowledge before it syncs`,
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
      lost: 'with `--durability power`: nothing that was acknowledged, if the disk honours sync. With `process`, the default: acknowledged writes that the operating system had not yet written to the disk',
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
        'Requests that need space get 500. Reads, deletions and restores go on. `ready` answers 503 with the reason, and 200 again when there is space. No restart is needed.',
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
      client: 'Requests that need space get 503 ServerBusy, so that clients try again. Reads go on.',
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
      client:
        'Requests that need the unreadable part of a file get 500. `ready` answers 503 and names the account. Other accounts are served.',
      lost: 'the data that the disk cannot read, for as long as it cannot read it',
      shown: {
        file: 'test/durability/disk-errors.test.ts',
        title: 'in reads refuses requests that need the data with 500, names the account, and serves other accounts',
        without: {
          file: 'storage/sqlite/file/account-file.ts',
          // If a read of an entity's later pages fails, SQLite reports a damaged file.
          text: '/^SQLITE_(CORRUPT|NOTADB)/',
          by: '/^NEVER$/',
        },
      },
    },
  },
  {
    fails: 'The disk fails to write (EIO)',
    files: {
      client: 'The write, and writes that arrived at the same moment, get 500. Reads and later writes go on.',
      lost: `${nothing}; a refused write has no effect`,
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
      client: 'With `--durability power`, the writes that wait for the sync get 500. Later writes go on.',
      lost: `${nothing}; a refused write has no effect`,
      shown: {
        file: 'test/durability/disk-errors.test.ts',
        title: 'in syncs refuses the write with 500, does not carry it out, and keeps what was acknowledged',
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
      client:
        'Requests that need the damaged page get 500. `ready` answers 503 and names the account. All other requests are served.',
      lost: 'the data on the page: restore the file from a backup',
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
      client: 'Nothing. Timestamps and ETags continue from the last one.',
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
      client: 'Nothing. Timestamps of a partition increase even if the clocks of the nodes differ.',
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
    fails: 'The output for the log is closed, full, or not read',
    files: {
      client: 'Nothing. The emulator drops lines of the log and counts them in `tanzanite_log_lines_dropped_total`.',
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
    fails: 'A client disappears without closing its connection (a half-open socket)',
    files: {
      client:
        'The emulator closes the connection after a minute in which the client has read no bytes. Other clients are served.',
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
      client: 'A write that may have happened gets 500. Every other request is carried out over another connection.',
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
      client:
        'Requests get 503 ServerBusy within seconds. `ready` answers 503, and 200 again when the database answers.',
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
        'Requests get 503 ServerBusy. A write that was in progress gets 500. `ready` answers 503, and 200 again when the database is back.',
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
      client:
        'Until the nodes reach the new primary, requests get 503 ServerBusy, and a write that was in progress gets 500.',
      lost: 'with a synchronous standby: nothing that was acknowledged',
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
