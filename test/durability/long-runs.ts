// The list of the runs that take longer than a test may take. It says what each run tried, and gives the last recorded
// result and its date. No test compares the results. scripts/durability.mjs writes the list into docs/durability.md.

export interface LongRun {
  readonly command: string;
  readonly what: string;
  readonly result: string;
  readonly date: string;
}

export const longRuns: readonly LongRun[] = [
  {
    command: 'npm run crash -- --kills 200 --seed 20261125',
    what: '`kill -9` under load, a restart, and a check of every acknowledged write',
    result: '200 kills, 8,013 acknowledged requests, none of them lost',
    date: '2026-11-25',
  },
  {
    command: 'npm run cluster -- --faults 100 --seed 20261125',
    what: 'Three nodes over PostgreSQL while nodes, connections and the database are killed or frozen',
    result: '100 faults, 37,702 responses, none of which contradicts the history of its entity',
    date: '2026-11-25',
  },
  {
    command: 'npm run simulate -- --seeds 2000',
    what: 'A simulated machine. A seed decides when its disk fails, tears writes or forgets unsynced writes',
    result:
      '2,000 seeds. Four failed, three of them because of one defect (a load whose file could not be removed). Since it was fixed, all pass',
    date: '2026-11-27',
  },
  {
    command: 'npm run simulate -- --planted all --seeds 500',
    what: 'The same machine, each time with one defect that was planted in the emulator',
    result: 'Each of the ten defects is found: six by the first seed, the others by seeds 4, 38, 38 and 200',
    date: '2026-11-27',
  },
  {
    command: 'npm run fuzz -- --cases 300000 --seed 20261127',
    what: 'Damaged and random input in every format that the emulator reads',
    result: '300,000 inputs. One was wrongly accepted (a Host that is not a host) and is now refused',
    date: '2026-11-27',
  },
  {
    command: 'npm run fuzz:guided -- --seconds 60',
    what: 'Jazzer.js searches for input that reaches new branches of nine parsers, a minute for each',
    result: '7.9 million inputs, of which 7,942 reached a new branch. No parser failed',
    date: '2026-11-27',
  },
  {
    command: 'npm run endurance -- --minutes 30 --seed 20261127 --picture docs/endurance.svg',
    what: 'Writes, queries, tables, snapshots, exports and faults together; memory, handles and files must not grow',
    result:
      '226,560 writes and 4,003 requests of each other kind. At most 233.6 MiB of memory (174.0 at the end), 46 handles, 7.2 MiB of files and 16.3 MiB of write-ahead log',
    date: '2026-11-27',
  },
];
