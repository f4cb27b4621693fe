import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import type { ScanOutcome, ScanRequest } from '../../../../../src/storage/store.ts';
import { keyOf } from '../../../../support/entities.ts';
import { comparison, int } from '../../../query/filters.ts';
import { numbered, openPets, rowKeyAt, unbounded } from '../slow-engine.ts';

let engine: SqliteAccountStore;

describe('an abandoned page', () => {
  const isNegative = comparison('Number', 'lt', int(0));
  const scan = (request: Partial<ScanRequest>): Promise<ScanOutcome> =>
    engine.scan({ table: 'Pets', ...unbounded, range: {}, ...request });
  /** A check whether the client has disconnected, which it has after this many checks. */
  const hungUpAfter = (looks: number): (() => boolean) => {
    let left = looks;
    return () => left-- <= 0;
  };

  beforeEach(async () => {
    ({ engine } = await openPets());
    const ats = Array.from({ length: 3000 }, (_, at) => at);
    await engine.apply(
      'Pets',
      ats.map((at) => numbered('insert', keyOf('p', rowKeyAt(at)), at)),
    );
  });
  afterEach(() => engine.close());

  it.each([0, 1, 3])('ends with its slice, and returns its position, after %d slices', async (slices) => {
    const page = await scan({ filter: isNegative, isAbandoned: hungUpAfter(slices) });
    expect(page).toMatchObject({ kind: 'page', entities: [], end: 'time', next: { partitionKey: slices ? 'p' : '' } });
    const { visited } = page as Extract<ScanOutcome, { kind: 'page' }>;
    expect(visited).toBeLessThanOrEqual(slices * 256 * 2);
  });

  it('ends before it begins if it has no filter', async () => {
    expect(await scan({ isAbandoned: () => true })).toMatchObject({ entities: [], visited: 0, end: 'time' });
  });

  it('does not affect other pages', async () => {
    const [abandoned, awaited] = await Promise.all([
      scan({ filter: isNegative, isAbandoned: hungUpAfter(2) }),
      scan({ filter: isNegative, isAbandoned: () => false }),
    ]);
    expect([abandoned, awaited]).toMatchObject([{ end: 'time' }, { end: 'range', visited: 3000 }]);
  });
});
