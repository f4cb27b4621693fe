import { afterAll, describe, expect, it } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { openClient } from '../support/table-client.ts';

interface Line {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Starts an emulator in which the account is over its target after the first request. Collects its warnings. */
async function startBusy(
  throttle: 'observe' | 'enforce',
  targets: Partial<Record<'accountTarget' | 'partitionTarget', number>> = { accountTarget: 0.01 },
) {
  const lines: Line[] = [];
  const time = createAdjustableTime();
  time.freeze();
  const emulator = await runEmulator({
    ...defaultEmulatorSettings,
    port: 0,
    modelTime: time,
    throttle,
    capacity: { ...defaultEmulatorSettings.capacity, ...targets, queueLength: 0 },
    log: {
      info: () => undefined,
      warn: (fields, message) => lines.push({ fields: { ...fields }, message }),
      error: () => undefined,
    },
  });
  const client = openClient(emulator.url);
  afterAll(async () => {
    await client.close();
    await emulator.close();
  });
  return { client, lines, time };
}

const places = [{ account: 'devstoreaccount1', limit: 'account', requests: 5 }];

describe('The log', () => {
  it.each([
    [
      'enforce',
      { refused: 5, wouldThrottle: 0 },
      '5 requests refused for capacity: devstoreaccount1 is over the target of an account (5)',
    ],
    [
      'observe',
      { refused: 0, wouldThrottle: 5 },
      'production would have refused 5 requests: devstoreaccount1 is over the target of an account (5)',
    ],
  ] as const)('with %s has one line a second about what was refused', async (throttle, counts, message) => {
    const { client, lines, time } = await startBusy(throttle);
    const request = () => client.send({ method: 'GET', path: '/Tables' });
    await request();
    await Promise.all(Array.from({ length: 5 }, request));
    expect(lines).toEqual([]);
    time.advance(1_000);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toEqual({ fields: { operation: 'Capacity', ...counts, pagesCut: 0, places }, message });
    time.advance(60_000);
    expect(lines).toHaveLength(1);
  });

  it('names what the advisor finds in the keys of the table, with its rule', async () => {
    const { client, lines, time } = await startBusy('observe', { partitionTarget: 0.01 });
    const send = (path: string, body: object) => client.send({ method: 'POST', path, body: JSON.stringify(body) });
    await send('/Tables', { TableName: 'growing' });
    for (let at = 0; at < 250; at++) await send('/growing', { PartitionKey: `${1_000 + at}`, RowKey: 'r' });
    for (const RowKey of ['a', 'b', 'c']) await send('/growing', { PartitionKey: '1249', RowKey });
    time.advance(1_000);
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^production would have .* of growing .*; keys: append-only \(append-only-keys\)$/),
    ]);
  });
});
