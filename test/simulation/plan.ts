// The events of a run, as data. They are generated from a seed, and shortened if the run fails.

import { Random } from '../support/random.mjs';
import { accounts, type Operation, Operations, tables } from './operations.ts';

/** Operations that begin at the same time, and the faults of the disk while they run. */
export interface Group {
  readonly kind: 'group';
  /** The seed that decides the order in which work continues. */
  readonly seed: number;
  readonly operations: readonly Operation[];
  /** Commands for the simulated disk. */
  readonly disk: readonly string[];
}

export type PlannedStep =
  | Group
  /** Reads all data. */
  | { readonly kind: 'verify' }
  /** Sends no requests for a while. */
  | { readonly kind: 'rest'; readonly seed: number }
  /** Sets the date of the machine, forward or back. */
  | { readonly kind: 'stepDate'; readonly ms: number };

/** From a start of the process to its end. */
export interface Life {
  readonly seed: number;
  /** Commands for the simulated disk, before the data is opened. */
  readonly disk: readonly string[];
  /** The date of the machine, relative to the date of the first start. */
  readonly dateMs: number;
  readonly steps: readonly PlannedStep[];
  /** How the process ends if nothing has ended it before. */
  readonly end: 'close' | 'kill' | 'cut';
}

export interface Plan {
  readonly seed: number;
  readonly durability: 'process' | 'power';
  readonly tableDeleteDelayMs: number;
  readonly lives: readonly Life[];
}

const errors = ['EIO', 'EIO', 'ENOSPC'] as const;
const failing = ['write', 'write', 'sync', 'sync', 'read', 'open', 'unlink', 'truncate', 'write,sync'] as const;
const ending = ['write', 'write', 'sync', 'truncate', 'unlink', 'open', 'write,sync,truncate,unlink'] as const;

export function drawPlan(seed: number): Plan {
  const random = new Random(seed);
  const operations = new Operations(random);
  const lives = Array.from({ length: random.integer(1, 2) }, (_, at) =>
    drawLife(random, { operations, isFirst: at === 0 }),
  );
  return {
    seed,
    durability: random.next() < 0.7 ? 'power' : 'process',
    tableDeleteDelayMs: random.next() < 0.8 ? 0 : 5_000,
    lives,
  };
}

function drawLife(random: Random, { operations, isFirst }: { operations: Operations; isFirst: boolean }): Life {
  const steps: PlannedStep[] = isFirst && random.next() < 0.8 ? [createTables(random)] : [];
  // In half of the runs the disk works, because a failing disk would hide faults of the logic.
  const isFaulty = random.next() < 0.5;
  for (let left = random.integer(40, 140); left > 0; left--) {
    const draw = random.next();
    if (draw < 0.03) steps.push({ kind: 'rest', seed: random.integer(0, 1e9) });
    else if (draw < 0.05) steps.push({ kind: 'stepDate', ms: random.integer(-5_000, 5_000) });
    else if (draw < 0.09) steps.push({ kind: 'verify' });
    else {
      const count = random.pick([1, 1, 1, 2, 2, 3]);
      const disk = isFaulty ? drawDisk(random) : [];
      const together = operations.together(count);
      steps.push({ kind: 'group', seed: random.integer(0, 1e9), operations: together, disk });
      // A client would send these requests again.
      const again = together.filter(({ kind }) => kind !== 'write' && kind !== 'batch');
      if (disk.length === 0 || again.length === 0 || random.next() < 0.4) continue;
      steps.push({ kind: 'group', seed: random.integer(0, 1e9), operations: again, disk: ['calm'] });
    }
  }
  const disk = !isFirst && random.next() < 0.2 ? [crash(random, random.integer(1, 60))] : [];
  const dateMs = isFirst ? 0 : random.integer(-60_000, 60_000);
  return { seed: random.integer(0, 1e9), disk, dateMs, steps, end: random.pick(['close', 'kill', 'cut', 'cut']) };
}

/** Creates tables, so that most requests find one. */
function createTables(random: Random): Group {
  const [account = ''] = accounts;
  const operations = [...tables.map((table) => ({ kind: 'createTable' as const, account, table }))];
  return { kind: 'group', seed: random.integer(0, 1e9), operations, disk: [] };
}

function drawDisk(random: Random): readonly string[] {
  const draw = random.next();
  if (draw < 0.03) return [crash(random, random.integer(1, 20))];
  if (draw < 0.18) {
    const [first, count] = [random.integer(1, 5), random.integer(1, 4)];
    const failure = `fail ${first} ${count} ${random.pick(failing)} ${random.pick(errors)} ${random.integer(0, 1e9)}`;
    // A crash checks that failed writes do not reappear.
    return random.next() < 0.15 ? [failure, crash(random, random.integer(2, 12))] : [failure];
  }
  return draw < 0.34 ? ['calm'] : [];
}

function crash(random: Random, first: number): string {
  return `crash ${first} ${random.pick(ending)} ${random.pick(['kill', 'power', 'power'])} ${random.integer(0, 1e9)}`;
}
