import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Admission, Demand, Refusal } from '../../../src/capacity/meter.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { newScenario, type RefusedAs, read, refusedAs, type Scenario } from './scenario.ts';

type Outcome = RefusedAs | undefined | 'waits';

/** Sends demands by name, and records how each one ends. */
function newQueue(options: Parameters<typeof newScenario>[0] = {}) {
  const scenario = newScenario({ queueLength: 32, ...options });
  const outcomes = new Map<string, Outcome>();
  const started: string[] = [];
  const settle = (name: string, result: Admission | Refusal): void => {
    const refused = refusedAs(result);
    outcomes.set(name, refused);
    if (!refused) started.push(name);
  };
  const admit = (name: string, demand: Demand): void => {
    outcomes.set(name, 'waits');
    const outcome = scenario.meter.admit(demand);
    if (outcome instanceof Promise) outcome.then((later) => settle(name, later));
    else settle(name, outcome);
  };
  return { ...scenario, outcomes, started, admit };
}

/** Lets the promises that have settled run their callbacks. */
const callbacks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const fill = ({ meter }: Pick<Scenario, 'meter'>, partitionKey: string): void => {
  meter.admit(read(partitionKey, { units: 2_000 }));
};

describe('requests that wait', () => {
  it('start in order of arrival, as capacity becomes available', async () => {
    const queue = newQueue();
    fill(queue, 'hot');
    for (const [name, units] of [
      ['a', 1],
      ['b', 100],
      ['c', 1],
      ['d', 1],
    ] as const) {
      queue.admit(name, read('hot', { units }));
    }
    expect(queue.report().waiting).toBe(4);
    const seen: string[][] = [];
    for (const ms of [1, 49, 1, 1]) {
      queue.time.advance(ms);
      await callbacks();
      seen.push([...queue.started]);
    }
    expect(seen).toEqual([['a'], ['a'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']]);
    expect(queue.time.pending).toBe(0);
  });

  it('time out after 30 seconds of machine time, if model time is frozen', async () => {
    const machineTime = new ManualTime();
    const queue = newQueue({ machineTime });
    fill(queue, 'hot');
    queue.admit('first', read('hot', { waitMsMax: 1_000 }));
    machineTime.advance(10_000);
    queue.admit('second', read('hot'));
    machineTime.advance(19_999);
    await callbacks();
    expect([...queue.outcomes.values()]).toEqual(['waits', 'waits']);
    machineTime.advance(1);
    await callbacks();
    const timedOut = { outcome: 'timedOut', limit: 'partition' };
    expect([...queue.outcomes.values()]).toEqual([timedOut, 'waits']);
    machineTime.advance(10_000);
    await callbacks();
    expect([...queue.outcomes.values()]).toEqual([timedOut, timedOut]);
    expect(machineTime.pending).toBe(0);
  });

  it('leave no timer when they are carried out', async () => {
    const machineTime = new ManualTime();
    const queue = newQueue({ machineTime });
    fill(queue, 'hot');
    queue.admit('waits', read('hot'));
    expect([queue.time.pending, machineTime.pending]).toEqual([1, 1]);
    queue.time.advance(1);
    await callbacks();
    expect([queue.started, queue.time.pending, machineTime.pending]).toEqual([['waits'], 0, 0]);
  });

  it('are not carried out, and delay no others, after their client has disconnected', async () => {
    const queue = newQueue({ queueLength: 2 });
    fill(queue, 'hot');
    let isGone = false;
    queue.admit('gone', read('hot', { units: 1_000, isAbandoned: () => isGone }));
    queue.admit('there', read('hot', { units: 10 }));
    isGone = true;
    queue.admit('next', read('hot', { units: 10 }));
    queue.time.advance(5);
    await callbacks();
    expect(queue.started).toEqual(['there']);
    queue.time.advance(5);
    await callbacks();
    expect(queue.started).toEqual(['there', 'next']);
    expect(queue.outcomes.get('gone')).toEqual({ outcome: 'busy', limit: 'partition' });
  });

  it('do not delay a request to a cool partition', async () => {
    const queue = newQueue();
    fill(queue, 'hot');
    queue.admit('first', read('hot', { units: 1_000 }));
    queue.admit('second', read('hot'));
    queue.admit('cool', read('cool'));
    expect(queue.started).toEqual(['cool']);
    queue.time.advance(499);
    queue.admit('third', read('hot'));
    await callbacks();
    expect(queue.started).toEqual(['cool']);
    queue.time.advance(3);
    await callbacks();
    expect(queue.started).toEqual(['cool', 'first', 'second', 'third']);
  });

  it('do not wake the queue before the first of them may start', () => {
    const queue = newQueue();
    fill(queue, 'hot');
    queue.time.advance(25);
    let wakings = 0;
    const after = queue.time.after.bind(queue.time);
    queue.time.after = (delayMs, run) =>
      after(delayMs, () => {
        wakings++;
        run();
      });
    queue.admit('large', read('hot', { units: 1_000 }));
    queue.admit('small', read('hot'));
    queue.time.advance(480);
    expect(queue.report().waiting).toBe(0);
    expect(wakings).toBeLessThan(4);
  });

  it('are refused immediately if there are too many', () => {
    const queue = newQueue({ queueLength: 2 });
    fill(queue, 'hot');
    for (const name of ['a', 'b', 'c']) queue.admit(name, read('hot'));
    expect([...queue.outcomes.values()]).toEqual(['waits', 'waits', { outcome: 'busy', limit: 'partition' }]);
    expect(queue.report().refusals.partition).toMatchObject({ busy: 1, timedOut: 0, wouldThrottle: 0 });
  });

  it('are refused immediately if they would wait longer than the limit, alone or behind others', async () => {
    const queue = newQueue({ waitMsMax: 1_000 });
    fill(queue, 'hot');
    queue.admit('half a second', read('hot', { units: 1_000 }));
    queue.admit('too long by a unit', read('hot', { units: 1_001 }));
    queue.admit('a second', read('hot', { units: 1_000 }));
    queue.admit('a unit too many', read('hot'));
    const busy = { outcome: 'busy', limit: 'partition' };
    expect(Object.fromEntries(queue.outcomes)).toEqual({
      'half a second': 'waits',
      'too long by a unit': busy,
      'a second': 'waits',
      'a unit too many': busy,
    });
    queue.time.advance(1_000);
    await callbacks();
    expect(queue.started).toEqual(['half a second', 'a second']);
  });

  it('are refused when they have waited as long as the limit, if other load arrived in between', async () => {
    const queue = newQueue({ waitMsMax: 1_000, accountTarget: 4_000 });
    for (const partition of ['hot', 'cool']) fill(queue, partition);
    queue.admit('first', read('hot', { units: 1_999 }));
    // While this request waits for its partition, requests to other partitions use up the account's budget.
    for (let at = 0; at < 9; at++) {
      queue.time.advance(100);
      queue.admit(`other ${at}`, read(`other ${at}`, { units: 400 }));
    }
    queue.time.advance(100);
    await callbacks();
    expect(queue.started).toHaveLength(9);
    expect(queue.outcomes.get('first')).toEqual({ outcome: 'busy', limit: 'account' });
  });

  it('are counted with their waiting time and outcome', async () => {
    const queue = newQueue();
    fill(queue, 'hot');
    const started = queue.meter.admit(read('hot', { units: 500 }));
    const timedOut = queue.meter.admit(read('hot', { units: 1_000, waitMsMax: 300 }));
    queue.time.advance(1_000);
    expect(await started).toMatchObject({ outcome: 'admitted', limit: undefined, waitedMs: 250, units: 500 });
    expect(await timedOut).toEqual({ outcome: 'timedOut', limit: 'partition', waitedMs: 300, units: 1_000 });
    expect(queue.meter.admit(read('cool'))).toMatchObject({ outcome: 'admitted', waitedMs: 0 });
  });

  it('give up after waitMsMax', async () => {
    const queue = newQueue();
    fill(queue, 'hot');
    queue.admit('a', read('hot', { units: 2_000, waitMsMax: 500 }));
    queue.time.advance(499);
    await callbacks();
    expect(queue.outcomes.get('a')).toBe('waits');
    queue.time.advance(1);
    await callbacks();
    expect(queue.outcomes.get('a')).toEqual({ outcome: 'timedOut', limit: 'partition' });
    expect(queue.report()).toMatchObject({ waiting: 0, refusals: { partition: { timedOut: 1 } } });
  });

  it('start if there was capacity while the machine slept, however late their timer fires', async () => {
    const queue = newQueue();
    fill(queue, 'hot');
    queue.admit('a', read('hot', { units: 2_000, waitMsMax: 500 }));
    queue.time.sleep(86_400_000);
    await callbacks();
    expect(queue.outcomes.get('a')).toBeUndefined();
  });

  it.each(['close', 'forget'] as const)('are all refused by %s', async (verb) => {
    const queue = newQueue();
    fill(queue, 'hot');
    for (const name of ['a', 'b']) queue.admit(name, read('hot', { units: 2_000 }));
    if (verb === 'close') queue.capacity.close();
    else queue.capacity.forget('devstoreaccount1');
    await callbacks();
    expect([...queue.outcomes.values()]).toEqual(Array(2).fill({ outcome: 'busy', limit: 'partition' }));
    queue.time.advance(5_000);
    expect(queue.started).toEqual([]);
  });

  it('for various partitions wait together for the account', async () => {
    const queue = newQueue({ accountTarget: 1_000 });
    queue.meter.admit(read('p', { units: 1_000 }));
    queue.admit('tables', read('', { table: undefined, isPinned: false }));
    queue.admit('cool', read('cool'));
    queue.time.advance(1);
    await callbacks();
    expect(queue.started).toEqual(['tables']);
    queue.time.advance(1);
    await callbacks();
    expect(queue.started).toEqual(['tables', 'cool']);
  });
});

const step = fc.record({
  waitMs: fc.nat(40),
  partition: fc.constantFrom('a', 'b', 'c'),
  units: fc.integer({ min: 1, max: 100 }),
  waitMsMax: fc.nat(1_000),
});

/**
 * With these targets, the bucket of a partition contains 100 units. The bucket of a range contains 150 units, and the
 * bucket of an account contains 200 units.
 */
const targets = { partitionTarget: 100, rangeTarget: 150, accountTarget: 200, splitAfterMs: 1e9 };
const boundMs = 700;

describe('any requests that wait', () => {
  it('are each settled once, in time and in order, and never exceed a target', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(8), async (steps, queueLength) => {
        const { time, meter, report } = newScenario({ ...targets, queueLength, waitMsMax: boundMs });
        const started = steps.map(() => -1);
        const settled = steps.map(() => 0);
        const late: number[] = [];
        let settledMs = 0;
        const note = (at: number, result: Admission | Refusal): void => {
          settled[at]!++;
          if (!refusedAs(result)) started[at] = settledMs;
        };
        /**
         * Advances the time in steps of a millisecond while anything is pending, so that each outcome is noted with its
         * time.
         */
        const wait = async (ms: number): Promise<void> => {
          const untilMs = settledMs + ms;
          while (settledMs < untilMs && time.pending > 0) {
            settledMs++;
            time.advance(1);
            for (let hop = 0; hop < 4; hop++) await undefined;
          }
          time.advance(untilMs - settledMs);
          settledMs = untilMs;
        };
        for (const [at, { waitMs, partition, units, waitMsMax }] of steps.entries()) {
          await wait(waitMs);
          const outcome = meter.admit(read(partition, { units, waitMsMax }));
          if (outcome instanceof Promise) {
            const dueMs = settledMs + Math.max(1, Math.min(waitMsMax, boundMs));
            outcome.then((later) => {
              if (settledMs > dueMs) late.push(at);
              note(at, later);
            });
          } else note(at, outcome);
          expect(report().waiting).toBeLessThanOrEqual(queueLength);
        }
        await wait(1_010);
        await callbacks();
        expect(settled).toEqual(steps.map(() => 1));
        expect(late).toEqual([]);
        expectInTurn(steps, started);
        expectWithinTargets(steps, started);
      }),
      { numRuns: 40 },
    );
  });
});

interface Step {
  readonly partition: string;
  readonly units: number;
}

function expectInTurn(steps: readonly Step[], started: readonly number[]): void {
  for (const partition of ['a', 'b', 'c']) {
    const moments = started.filter((ms, at) => ms >= 0 && steps[at]!.partition === partition);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
  }
}

/** Between any two moments, no more units may start than a bucket contains and receives. */
function expectWithinTargets(steps: readonly Step[], started: readonly number[]): void {
  const scopes = [
    { of: () => true, perSecond: 200 },
    ...['a', 'b', 'c'].map((name) => ({ of: ({ partition }: Step) => partition === name, perSecond: 100 })),
  ];
  for (const { of, perSecond } of scopes) {
    const events = steps.flatMap((one, at) => (started[at]! >= 0 && of(one) ? [{ ms: started[at]!, ...one }] : []));
    events.sort((a, b) => a.ms - b.ms);
    for (let from = 0; from < events.length; from++) {
      let units = 0;
      for (let to = from; to < events.length; to++) {
        units += events[to]!.units;
        const spanMs = events[to]!.ms - events[from]!.ms;
        expect(units).toBeLessThanOrEqual(perSecond + (perSecond * spanMs) / 1_000);
      }
    }
  }
}
