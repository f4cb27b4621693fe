import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualTime } from '../../support/manual-time.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { ReferenceStore } from '../../support/reference-store.ts';
import { dropPostgres, postgres, type StoreKind, sqliteInMemory, sqliteOnDisk } from './contract/given.ts';
import { type PlayedStore, SequencePlayer } from './sequence-player.ts';
import { type Step, sequences, snapshotSequences } from './sequence-steps.ts';

const timeLimitMs = 8000;

function referencePlayer(isShared: boolean): SequencePlayer {
  const time = new ManualTime();
  const account = new ReferenceStore({ modelTime: time }).account('devstoreaccount1');
  return new SequencePlayer({ account, stepDate: (ms) => time.stepDate(ms), isShared });
}

async function compare({ open, persists, keepsOrder }: StoreKind, steps: readonly Step[]): Promise<void> {
  const { account, time, reopen, dispose } = await open();
  try {
    const isShared = !keepsOrder;
    const reopening = persists && keepsOrder ? { reopen } : {};
    const played: PlayedStore = { account, stepDate: (ms) => time.stepDate(ms), isShared, ...reopening };
    const engine = new SequencePlayer(played);
    const reference = referencePlayer(isShared);
    for (const [index, step] of steps.entries()) {
      const [seen, expected] = [await engine.play(step), await reference.play(step)];
      if (seen !== expected)
        expect(JSON.parse(seen), `after step ${index}, ${step.kind}`).toEqual(JSON.parse(expected));
    }
  } finally {
    await dispose();
  }
}

// The time limit ends the shrinking early enough that fast-check can print a failure: the seed, the path, and the
// shortest sequence found.
describe('over random sequences of operations', () => {
  it('the engine in memory returns and stores the same as the reference store', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, (steps) => compare(sqliteInMemory, steps)),
      { numRuns: 160, interruptAfterTimeLimit: timeLimitMs },
    );
  });

  it('the engine on disk, reopened in between, returns and stores the same as the reference store', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, (steps) => compare(sqliteOnDisk, steps)),
      { numRuns: 80, interruptAfterTimeLimit: timeLimitMs },
    );
  });

  it.each([
    ['in memory', sqliteInMemory],
    ['on disk, closed and opened in between,', sqliteOnDisk],
  ])('with snapshots, the engine %s returns and stores the same as the reference store', async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(snapshotSequences, (steps) => compare(kind, steps)),
      { numRuns: 80, interruptAfterTimeLimit: timeLimitMs },
    );
  });

  describe.runIf(hasPostgres)('PostgreSQL', () => {
    afterAll(dropPostgres);

    it.each([
      ['entities', sequences],
      ['snapshots', snapshotSequences],
    ])('returns and stores the same as the reference store, with %s', async (_, steps) => {
      await fc.assert(
        fc.asyncProperty(steps, (some) => compare(postgres, some)),
        { numRuns: 20, interruptAfterTimeLimit: timeLimitMs },
      );
    });
  });
});
