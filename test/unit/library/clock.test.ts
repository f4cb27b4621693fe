import { AzureNamedKeyCredential, AzureSASCredential, generateTableSas, TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { useEmulator as useWithJest } from '../../../src/library/jest.ts';
import { useEmulator } from '../../../src/library/vitest.ts';

const dayMs = 86_400_000;
const plain = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

describe('emulator.clock', () => {
  it('shows and changes the time of the service', async () => {
    await using emulator = await startEmulator();
    const { clock } = emulator;
    expect(clock.read()).toMatchObject({ isFrozen: false, offsetMs: 0 });
    expect(await clock.advance(dayMs)).toMatchObject({ isFrozen: false, offsetMs: dayMs });
    expect(await clock.freeze()).toMatchObject({ isFrozen: true });
    const moment = new Date('2041-05-01T10:00:00.000Z');
    expect(await clock.set(moment)).toMatchObject({ now: moment.toISOString(), isFrozen: true });
    expect(await clock.set('2041-05-01T10:00:01Z')).toMatchObject({ now: '2041-05-01T10:00:01.000Z' });
    expect(await clock.advance(1_000)).toMatchObject({ now: '2041-05-01T10:00:02.000Z' });
    expect((await clock.resume()).isFrozen).toBe(false);
    expect(await clock.release()).toMatchObject({ isFrozen: false, offsetMs: 0 });
  });

  it('makes a shared access signature expire, while clients with the key continue to work', async () => {
    await using emulator = await startEmulator();
    const { name, key, url } = emulator.account();
    const credential = new AzureNamedKeyCredential(name, key);
    const own = new TableClient(url, 'pets', credential, plain);
    await own.createTable();
    await own.createEntity({ partitionKey: 'dog', rowKey: 'rex' });
    const signature = generateTableSas('pets', credential, {
      permissions: { query: true },
      expiresOn: new Date(Date.now() + dayMs / 2),
    });
    const signed = new TableClient(url, 'pets', new AzureSASCredential(signature), plain);
    await expect(signed.getEntity('dog', 'rex')).resolves.toMatchObject({ rowKey: 'rex' });
    await emulator.clock.advance(dayMs);
    await expect(signed.getEntity('dog', 'rex')).rejects.toMatchObject({ statusCode: 403 });
    const { timestamp = '' } = await own.getEntity('dog', 'rex');
    await own.upsertEntity({ partitionKey: 'dog', rowKey: 'rex' });
    const later = await own.getEntity('dog', 'rex');
    expect(Date.parse(later.timestamp ?? '') - Date.parse(timestamp)).toBeGreaterThanOrEqual(dayMs);
    await emulator.reset({ clock: true });
    await expect(signed.getEntity('dog', 'rex')).resolves.toMatchObject({ rowKey: 'rex' });
  });

  it.each<[string, (clock: Awaited<ReturnType<typeof startEmulator>>['clock']) => Promise<unknown>, typeof Error]>([
    ['a negative time', (clock) => clock.advance(-1), RangeError],
    ['a time beyond 9999', (clock) => clock.advance(1e15), RangeError],
    ['no number', (clock) => clock.advance('1' as unknown as number), TypeError],
    ['a date before 1601', (clock) => clock.set(new Date(-1e14)), RangeError],
    ['a date that is none', (clock) => clock.set(new Date(Number.NaN)), TypeError],
    ['a text that is not a date', (clock) => clock.set('tomorrow'), TypeError],
    ['nothing', (clock) => clock.set(undefined as unknown as Date), TypeError],
  ])('refuses %s, and does not change', async (_, turn, error) => {
    await using emulator = await startEmulator();
    await expect(turn(emulator.clock)).rejects.toThrow(error);
    expect(emulator.clock.read()).toMatchObject({ isFrozen: false, offsetMs: 0 });
  });

  it('cannot be used after the emulator was closed', async () => {
    const emulator = await startEmulator();
    await emulator.close();
    expect(() => emulator.clock.read()).toThrow('the emulator is closed');
    await expect(emulator.clock.advance(1)).rejects.toThrow('the emulator is closed');
  });
});

describe('reset() with clock', () => {
  it.each([
    ['a text', { clock: 'yes' }, 'clock must be true or false'],
    ['a misspelt name', { clok: true }, 'there is no member clok; the members are account, table, clock, faults'],
  ])('refuses %s', async (_, target, message) => {
    await using emulator = await startEmulator();
    await emulator.clock.advance(dayMs);
    await expect(emulator.reset(target as object)).rejects.toThrow(new TypeError(`reset: ${message}`));
    expect(emulator.clock.read().offsetMs).toBe(dayMs);
  });
});

describe.sequential('After each test, useEmulator', () => {
  const emulator = useEmulator();

  it('resets the clock: this test changes it', async () => {
    await emulator.clock.freeze();
    expect((await emulator.clock.advance(dayMs)).isFrozen).toBe(true);
  });

  it.fails('resets the clock even after a failed test: this test changes it and fails', async () => {
    expect(emulator.clock.read()).toMatchObject({ isFrozen: false, offsetMs: 0 });
    await emulator.clock.advance(dayMs);
    throw new Error('on purpose');
  });

  it('has reset the clock', () => {
    expect(emulator.clock.read()).toMatchObject({ isFrozen: false, offsetMs: 0 });
  });

  it('resets the clock by the hooks of other runners, and does nothing if the emulator did not start', async () => {
    const run = new Map<string, () => Promise<void>>();
    const hook = (name: string) => (work: () => Promise<void>) => run.set(name, work);
    const other = useWithJest({}, { beforeAll: hook('start'), afterEach: hook('putBack'), afterAll: hook('stop') });
    await run.get('putBack')?.();
    await run.get('start')?.();
    await other.clock.advance(dayMs);
    await run.get('putBack')?.();
    expect(other.clock.read().offsetMs).toBe(0);
    await run.get('stop')?.();
  });
});
