import { describe, expect, it } from 'vitest';
import { type RefusalEvent, RefusalJournal, type RefusalSecond } from '../../../src/capacity/refusal-journal.ts';
import { ManualTime } from '../../support/manual-time.ts';

const event = (changes: Partial<RefusalEvent> = {}): RefusalEvent => ({
  account: 'a',
  table: 'Orders',
  partitionKey: 'p',
  limit: 'partition',
  kind: 'busy',
  ...changes,
});

function newJournal() {
  const time = new ManualTime();
  const calls: RefusalSecond[] = [];
  const journal = new RefusalJournal(time, (second) => calls.push(second));
  return { time, calls, journal };
}

describe('RefusalJournal', () => {
  it('calls its callback once a second while requests are refused, and not afterwards', () => {
    const { time, calls, journal } = newJournal();
    for (let ms = 0; ms < 5_000; ms++) {
      journal.record(event());
      time.advance(1);
    }
    expect(calls.map(({ refused }) => refused)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
    time.advance(60_000);
    expect(calls).toHaveLength(5);
    expect(time.pending).toBe(0);
  });

  it('counts refused requests and those that would have been refused separately, the worst places first', () => {
    const { time, calls, journal } = newJournal();
    journal.record(event({ table: undefined, partitionKey: undefined, limit: 'account', kind: 'timedOut' }));
    for (let at = 0; at < 3; at++) journal.record(event({ kind: 'wouldThrottle' }));
    for (let at = 0; at < 2; at++) journal.record(event({ partitionKey: 'q' }));
    time.advance(1_000);
    expect(calls).toEqual([
      {
        secondsAgo: 1,
        refused: 3,
        wouldThrottle: 3,
        pagesCut: 0,
        places: [
          { account: 'a', table: 'Orders', partitionKey: 'p', limit: 'partition', requests: 3 },
          { account: 'a', table: 'Orders', partitionKey: 'q', limit: 'partition', requests: 2 },
          { account: 'a', limit: 'account', requests: 1 },
        ],
      },
    ]);
  });

  it('keeps the last sixty seconds and the current one, the newest first', () => {
    const { time, journal } = newJournal();
    for (let second = 0; second < 100; second++) {
      for (let times = 0; times <= second; times++) journal.record(event());
      time.advance(1_000);
    }
    journal.record(event());
    const seconds = journal.seconds();
    expect(seconds).toHaveLength(61);
    expect(seconds.slice(0, 3).map(({ refused, secondsAgo }) => [refused, secondsAgo])).toEqual([
      [1, 0],
      [100, 1],
      [99, 2],
    ]);
  });

  it('counts all requests, although it reports few places', () => {
    const { journal } = newJournal();
    for (let at = 0; at < 100_000; at++) journal.record(event({ partitionKey: `p${at}` }));
    const [second] = journal.seconds();
    expect(second!.refused).toBe(100_000);
    expect(second!.places).toHaveLength(5);
  });

  it('makes no call after it was closed, and leaves no timer', () => {
    const { time, calls, journal } = newJournal();
    journal.record(event());
    journal.close();
    journal.record(event());
    journal.countCutPage();
    expect(time.pending).toBe(0);
    time.advance(2_000);
    expect(calls).toEqual([]);
    expect(journal.seconds()).toEqual([]);
  });
});
