// GET, POST and DELETE /_emulator/clock. ../turned-clock.test.ts tests what follows the clock.

import { afterEach, describe, expect, it } from 'vitest';
import type { ClockState } from '../../../src/model/clock-state.ts';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const service = await startService();
const path = '/_emulator/clock';
const hourMs = 3_600_000;

const turn = (body: object | string): Promise<ControlAnswer> => ask(service.origin, { path, body });
const release = (): Promise<ControlAnswer> => ask(service.origin, { method: 'DELETE', path });
const look = (): Promise<ControlAnswer> => ask(service.origin, { method: 'GET', path });
const stateIn = ({ status, text, json }: ControlAnswer): ClockState => {
  expect(status, text).toBe(200);
  return json as ClockState;
};
/** The time in an answer, which is exact while the clock is frozen. */
const nowIn = (answer: ControlAnswer): number => Date.parse(stateIn(answer).now);

afterEach(async () => {
  await release();
});

describe('The clock', () => {
  it("is the machine's until it is changed", async () => {
    const before = Date.now();
    const state = stateIn(await look());
    expect(state).toEqual({ now: expect.any(String), isFrozen: false, offsetMs: 0 });
    expect(state.now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(state.now)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(state.now)).toBeLessThanOrEqual(Date.now());
  });

  it('moves forward by advanceMs, and continues to run', async () => {
    expect(stateIn(await turn({ advanceMs: hourMs }))).toMatchObject({ isFrozen: false, offsetMs: hourMs });
    expect(stateIn(await turn({ advanceMs: 0.25 })).offsetMs).toBe(hourMs);
    const machineMs = Date.now();
    expect(nowIn(await look())).toBeGreaterThanOrEqual(machineMs + hourMs);
  });

  it.each([
    ['2041-05-01T10:00:00Z', '2041-05-01T10:00:00.000Z'],
    ['2041-05-01T12:00:00.5+02:00', '2041-05-01T10:00:00.500Z'],
    ['2041-05-01T10:00', '2041-05-01T10:00:00.000Z'],
    ['2041-05-01', '2041-05-01T00:00:00.000Z'],
    ['1601-01-01T00:00:00Z', '1601-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
  ])('is set to %s, and stays there while it is frozen', async (given, now) => {
    await turn({ freeze: true });
    const state = stateIn(await turn({ now: given }));
    expect(state).toMatchObject({ now, isFrozen: true });
    expect(Math.abs(state.offsetMs - (Date.parse(now) - Date.now()))).toBeLessThan(60_000);
    expect(stateIn(await look()).now).toBe(now);
  });

  it('is set while it runs', async () => {
    const machineMs = Date.now();
    const { now, isFrozen, offsetMs } = stateIn(await turn({ now: '2041-05-01T10:00:00Z' }));
    expect(isFrozen).toBe(false);
    expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.UTC(2041, 4, 1, 10));
    expect(Date.UTC(2041, 4, 1, 10) - offsetMs).toBeGreaterThanOrEqual(machineMs);
  });

  it('is frozen, advanced, and resumed from the time that it has reached', async () => {
    const frozen = stateIn(await turn({ freeze: true }));
    expect(frozen.isFrozen).toBe(true);
    expect(stateIn(await turn({ freeze: true })).now).toBe(frozen.now);
    expect(nowIn(await turn({ advanceMs: hourMs }))).toBe(Date.parse(frozen.now) + hourMs);
    const resumed = stateIn(await turn({ freeze: false }));
    expect(resumed.isFrozen).toBe(false);
    expect(Date.parse(resumed.now)).toBeGreaterThanOrEqual(Date.parse(frozen.now) + hourMs);
    expect(resumed.offsetMs).toBeLessThanOrEqual(hourMs);
  });

  it.each([{ advanceMs: hourMs }, { now: '1999-01-01' }, { freeze: true }])(
    'is reset by DELETE after %j',
    async (body) => {
      stateIn(await turn(body));
      expect(stateIn(await release())).toMatchObject({ isFrozen: false, offsetMs: 0 });
      expect(stateIn(await release())).toMatchObject({ isFrozen: false, offsetMs: 0 });
    },
  );

  it('takes every change of two connections that change it at the same time', async () => {
    await turn({ freeze: true });
    await turn({ now: '2041-05-01T10:00:00Z' });
    const advances = Array.from({ length: 50 }, () => turn({ advanceMs: 1_000 }));
    const answers = await Promise.all(advances);
    expect(new Set(answers.map(nowIn)).size).toBe(50);
    expect(stateIn(await look()).now).toBe('2041-05-01T10:00:50.000Z');
    const [set, ...moved] = await Promise.all([
      turn({ now: '2050-01-01' }),
      ...answers.map(() => turn({ advanceMs: 1 })),
    ]);
    for (const answer of [set, ...moved]) stateIn(answer);
    const lastMs = nowIn(await look());
    expect(lastMs).toBeGreaterThanOrEqual(Date.UTC(2050, 0));
    expect(lastMs).toBeLessThanOrEqual(Date.UTC(2050, 0) + 50);
  });
});

describe('The clock refuses', () => {
  it.each<[string, object | string, RegExp]>([
    ['nothing', '', /[Bb]ody/],
    ['no JSON', '{"advanceMs":', /JSON/],
    ['no object', '[]', /The body must be object/],
    ['an object without a member', {}, /The body needs a member/],
    ['two members', { now: '2041-05-01T10:00:00Z', freeze: true }, /The body takes 1 member at most/],
    ['a member it does not know', { advance: 1 }, /"advance", which means nothing here/],
    ['a negative time', { advanceMs: -1 }, /"advanceMs" must be >= 0/],
    ['a time that is a text', { advanceMs: '1' }, /"advanceMs" must be number/],
    ['a time that no number holds', '{"advanceMs":1e400}', /"advanceMs"/],
    ['a time beyond 9999', { advanceMs: 1e15 }, /"advanceMs": the time must be in the years 1601 to 9999/],
    ['a date that is none', { now: 'tomorrow' }, /"now": the time must be a date such as /],
    ['a day that no month has', { now: '2041-02-30' }, /"now": the time must be a date such as /],
    ['a date that is a number', { now: 0 }, /"now" must be string/],
    ['a date before 1601', { now: '1600-12-31T23:59:59.999Z' }, /"now": the time must be in the years 1601 to 9999/],
    ['a date after 9999', { now: '9999-12-31T23:59:59-01:00' }, /"now": the time must be/],
    ['a freeze that is a text', { freeze: 'true' }, /"freeze" must be boolean/],
  ])('%s: 400 with the wrong member, and does not change', async (_, body, message) => {
    const answer = await turn(body);
    expect([answer.status, codeOf(answer)], answer.text).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toMatch(message);
    expect(stateIn(await look())).toMatchObject({ isFrozen: false, offsetMs: 0 });
  });

  it('a body that is not JSON by its type: 415', async () => {
    const answer = await ask(service.origin, {
      path,
      headers: { 'Content-Type': 'text/plain' },
      body: '{"advanceMs":1}',
    });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'UnsupportedMediaType']);
  });
});

describe('A reset with "clock"', () => {
  const reset = (body: object): Promise<ControlAnswer> => ask(service.origin, { path: '/_emulator/reset', body });
  const rows = async (): Promise<number> => JSON.parse((await service.get('/Kept()')).body).value?.length;

  it('resets the clock, and empties only what the request names', async () => {
    await service.createTable('Kept');
    await service.insert('Kept', {});
    await turn({ advanceMs: hourMs });
    expect((await reset({ clock: true })).json).toEqual({ accounts: [], clock: true });
    expect([stateIn(await look()).offsetMs, await rows()]).toEqual([0, 1]);
    await turn({ freeze: true });
    const named = await reset({ clock: true, table: 'Kept' });
    expect(named.json).toEqual({ accounts: ['devstoreaccount1'], table: 'Kept', clock: true });
    expect([stateIn(await look()).isFrozen, await rows()]).toEqual([false, 0]);
  });

  it('of an account that does not exist leaves the clock as it is', async () => {
    await turn({ advanceMs: hourMs });
    expect(codeOf(await reset({ clock: true, account: 'absent' }))).toBe('AccountNotFound');
    expect(stateIn(await look()).offsetMs).toBe(hourMs);
  });

  it('that is false or absent empties only the data', async () => {
    for (const body of [{}, { clock: false }]) {
      await turn({ advanceMs: hourMs });
      expect((await reset(body)).json).toEqual({ accounts: ['devstoreaccount1'] });
      expect(stateIn(await look()).offsetMs).toBeGreaterThanOrEqual(hourMs);
    }
  });
});
