// The profile chaos: the settings of strict, and the seeded faults of src/faults/chaos-rules.ts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { odata, TableClient } from '@azure/data-tables';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chaosRules } from '../../src/faults/chaos-rules.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/index.ts';
import { ask } from '../support/control-plane.ts';
import { openClient } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const profile = 'chaos';

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ profile, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

async function rulesOf({ url }: Emulator): Promise<unknown[]> {
  const { json } = await ask(url, { method: 'GET', path: '/_emulator/faults' });
  return (json as { rules: { name: string }[] }).rules.map(({ name }) => name);
}

/** Makes this many inserts of distinct keys, and returns the outcome of each. */
async function outcomesOf(emulator: Emulator, count: number): Promise<string[]> {
  const client = openClient(emulator.url);
  onTestFinished(() => client.close());
  const send = async (path: string, entity: object): Promise<string> => {
    const request = { method: 'POST', path, body: JSON.stringify(entity) };
    const answer = await client.send(request).catch(() => undefined);
    return answer === undefined ? 'reset' : `${answer.status} ${answer.header('x-emulator-fault') ?? ''}`;
  };
  while (!/^(201|409)/.test(await send('/Tables', { TableName: 'orders' })));
  const outcomes: string[] = [];
  for (let at = 0; at < count; at++) outcomes.push(await send('/orders', { PartitionKey: 'p', RowKey: `${at}` }));
  return outcomes;
}

describe('With the profile chaos', () => {
  it('the rules of chaos apply, in addition to the settings of strict', async () => {
    const emulator = await start();
    expect(await rulesOf(emulator)).toEqual(chaosRules.map(({ name }) => name));
    const { json } = await ask(emulator.url, { method: 'GET', path: '/_emulator/settings' });
    const { settings } = json as { settings: { name: string; value: unknown; from: object }[] };
    const from = { kind: 'profile', name: 'chaos' };
    expect(
      settings.filter((setting) => JSON.stringify(setting.from) === JSON.stringify(from)).map(({ name }) => name),
    ).toEqual([...['apiVersions', 'tableDeleteDelayMs', 'pageBoundaries', 'replicaLagMs', 'faults', 'throttle']]);
    expect(settings.find(({ name }) => name === 'faults')).toMatchObject({ value: 'chaos', from });
  });

  it('the rules of a given file replace the rules of chaos', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const faults = join(folder.path, 'chaos');
    writeFileSync(faults, JSON.stringify({ name: 'mine', fault: { kind: 'delay', ms: 1 } }));
    expect(await rulesOf(await start({ faults }))).toEqual(['mine']);
  });

  it('the same seed strikes the same inserts, and another seed strikes others', async () => {
    const [first, again, other] = [
      await outcomesOf(await start({ faultSeed: 1 }), 100),
      await outcomesOf(await start({ faultSeed: 1 }), 100),
      await outcomesOf(await start({ faultSeed: 2 }), 100),
    ];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    const share = first?.filter((outcome) => outcome !== '201 ').length ?? 0;
    expect(share).toBeGreaterThan(2);
    expect(share).toBeLessThan(40);
  });

  it('a program that retries, and treats 409 as a successful write, loses nothing', async () => {
    const emulator = await start({ faultSeed: 3 });
    const client = TableClient.fromConnectionString(emulator.connectionString, 'orders', {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 8, retryDelayInMs: 1, maxRetryDelayInMs: 10 },
    });
    const done = (error: unknown): void => {
      if ((error as { statusCode?: number }).statusCode !== 409) throw error;
    };
    await client.createTable().catch(done);
    const keys = Array.from({ length: 150 }, (_, at) => `${1_000 + at}`);
    for (const rowKey of keys) await client.createEntity({ partitionKey: 'p', rowKey }).catch(done);
    const found: string[] = [];
    const filter = odata`PartitionKey eq ${'p'}`;
    for await (const { rowKey } of client.listEntities({ queryOptions: { filter } })) found.push(rowKey ?? '');
    expect(found).toEqual(keys);
  });
});
