import { describe, expect, it } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { accepting, etagOf, timestampOf } from '../support/expect-success.ts';
import { entityPath, serviceAt, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
const path = entityPath('pets');

// A time that is frozen at the moment that a test sets, and an emulator that uses this time.
const time = createAdjustableTime();
time.freeze();
const timed = await runEmulator({ ...defaultEmulatorSettings, port: 0, modelTime: time });
const past = serviceAt(timed.url, () => timed.close());
time.set(Date.UTC(2024, 4, 1, 10));
await past.createTable('pets');
async function put(rowKey: string): Promise<string> {
  return etagOf(await past.send({ method: 'PUT', path: entityPath('pets', 'p', rowKey), body: '{}' }));
}

describe('The ETag', () => {
  it('is the Timestamp to 100 ns, trailing zeros trimmed, colons percent-encoded', async () => {
    time.set(Date.UTC(2024, 4, 1, 10, 0, 2, 120));
    expect(await put('a')).toBe(`W/"datetime'2024-05-01T10%3A00%3A02.12Z'"`);
    time.set(Date.UTC(2024, 4, 1, 10, 0, 3));
    expect(await put('a')).toBe(`W/"datetime'2024-05-01T10%3A00%3A03Z'"`);
    const read = await past.get(entityPath('pets', 'p', 'a'));
    expect(read.body).toContain(`"odata.etag":"W/\\"datetime'2024-05-01T10%3A00%3A03Z'\\""`);
    expect(read.body).toContain('"Timestamp":"2024-05-01T10:00:03Z"');
  });

  it('grows by a tick when the clock is frozen', async () => {
    time.set(Date.UTC(2024, 4, 1, 11, 0, 0));
    expect(await put('a')).toBe(`W/"datetime'2024-05-01T11%3A00%3A00Z'"`);
    expect(await put('b')).toBe(`W/"datetime'2024-05-01T11%3A00%3A00.0000001Z'"`);
    expect(await put('a')).toBe(`W/"datetime'2024-05-01T11%3A00%3A00.0000002Z'"`);
  });

  it('grows when the clock steps back', async () => {
    time.set(Date.UTC(2024, 4, 1, 12, 0, 0));
    await put('a');
    time.set(Date.UTC(2024, 4, 1, 11, 59, 0));
    expect(await put('a')).toBe(`W/"datetime'2024-05-01T12%3A00%3A00.0000001Z'"`);
  });

  it('is the same in header, body and Timestamp for every read', async () => {
    const etag = etagOf(await service.insert('pets', { RowKey: 'same' }));
    const read = await service.get(entityPath('pets', 'p', 'same'), accepting('fullmetadata'));
    const { 'odata.etag': member, Timestamp } = JSON.parse(read.body) as { 'odata.etag': string; Timestamp: string };
    expect([read.header('ETag'), member, Timestamp]).toEqual([etag, etag, timestampOf(etag)]);
  });

  it('strictly increases over a hundred concurrent writes', async () => {
    const rowKeys = Array.from({ length: 100 }, (_, index) => `c${index}`);
    const answers = await Promise.all(
      rowKeys.map((rowKey) => service.send({ method: 'PUT', path: entityPath('pets', 'p', rowKey), body: '{}' })),
    );
    expect(new Set(answers.map(etagOf)).size).toBe(100);
    const after = ticksOf(etagOf(await service.send({ method: 'PUT', path, body: '{}' })));
    expect(answers.filter((answer) => ticksOf(etagOf(answer)) >= after)).toEqual([]);
  });

  function ticksOf(etag: string): bigint {
    const [seconds = '', fraction = ''] = timestampOf(etag).replace('Z', '').split('.');
    return BigInt(Date.parse(`${seconds}Z`)) * 10_000n + BigInt(fraction.padEnd(7, '0'));
  }
});

describe('If-Match', () => {
  const merge = (ifMatch: string): Promise<WireAnswer> =>
    service.send({ method: 'MERGE', path, headers: { 'If-Match': ifMatch }, body: '{}' });
  const current = async (): Promise<string> => etagOf(await service.send({ method: 'PUT', path, body: '{}' }));

  it('of the current ETag, or *, passes', async () => {
    expect((await merge(await current())).status).toBe(204);
    expect((await merge('*')).status).toBe(204);
  });

  it('is compared with every digit', async () => {
    const etag = await current();
    const digits = timestampOf(etag)
      .replace(/^[^.]*\.?|Z$/g, '')
      .padEnd(7, '0');
    const neighbour = String((Number(digits) + 1) % 10_000_000)
      .padStart(7, '0')
      .replace(/0+$/, '');
    const other = etag.replace(/(?:\.\d+)?Z/, neighbour === '' ? 'Z' : `.${neighbour}Z`);
    expectRefusal(await merge(other), refusal('UpdateConditionNotSatisfied'));
    expect((await merge(etag)).status).toBe(204);
  });

  it('of another time answers 412 UpdateConditionNotSatisfied', async () => {
    await current();
    for (const moment of ['2001-01-01T00%3A00%3A00Z', '2001-01-01T00%3A00%3A00.0000001Z', '9999-12-31T23%3A59%3A59Z']) {
      expectRefusal(await merge(`W/"datetime'${moment}'"`), refusal('UpdateConditionNotSatisfied'));
    }
  });

  it.each([
    'W/"wrong"',
    'W/""',
    `W/"datetime''2017-11-23T00%3A00%3A00Z''"`,
    'W/"0x5B168C7B6E589D2"',
    `W/"datetime'soon'"`,
  ])('of a weak ETag in another form, %s, answers 412 ConditionNotMet', async (etag) => {
    await current();
    expectRefusal(await merge(etag), refusal('ConditionNotMet'));
  });

  it.each(['test', 'MalformedETag', '"strong"', 'W/unquoted', '**', `datetime'2001-01-01T00%3A00%3A00Z'`])(
    'that is not an ETag, %s, answers 400 InvalidInput that quotes it',
    async (etag) => {
      await current();
      const message = `The etag value '${etag}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`;
      expectRefusal(await merge(etag), refusal('InvalidInput', { message, stage: 'reading' }));
    },
  );

  it('of two ETags answers 400 InvalidInput', async () => {
    const etag = await current();
    expect([(await merge(`${etag}, ${etag}`)).status, (await merge(etag)).status]).toEqual([400, 204]);
  });
});
