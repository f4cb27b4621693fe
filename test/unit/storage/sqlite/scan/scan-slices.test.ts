import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../../support/entities.ts';
import { comparison, int, not } from '../../../query/filters.ts';
import { numbered, openPets, rowKeyAt, unbounded } from '../slow-engine.ts';

const key = (at: number) => keyOf('p', rowKeyAt(at));

describe('the time that scans take in a turn of the event loop', () => {
  /** The number of turns that a page takes if each turn also has this many point reads. */
  async function turnsOf(readsPerTurn: number): Promise<number> {
    const { engine } = await openPets({ msPerReading: 0.3 });
    const inserts = Array.from({ length: 3000 }, (_, at) => numbered('insert', key(at), at));
    await engine.apply('Pets', inserts);
    let isOver = false;
    const filter = not(comparison('Number', 'ge', int(0)));
    const page = engine.scan({ table: 'Pets', ...unbounded, range: {}, filter }).then(() => {
      isOver = true;
    });
    let turns = 0;
    for (; !isOver; turns++) {
      for (let read = 0; read < readsPerTurn; read++) await engine.get('Pets', key(0));
      await nextTurn();
    }
    await page;
    await engine.close();
    return turns;
  }

  it('is a quarter while other requests arrive, so that these wait less', async () => {
    const alone = await turnsOf(0);
    expect(await turnsOf(1)).toBeGreaterThan(1.5 * alone);
  });
});
