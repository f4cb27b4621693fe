import { TableClient } from '@azure/data-tables';
import { afterEach, describe, expect, it } from 'vitest';
import setUp from '../../../src/library/global-setup.ts';
import tearDown from '../../../src/library/global-teardown.ts';
import { restoreBeforeEach, type StartOptions, useEmulator } from '../../../src/library/jest.ts';

/** Hooks like those of a test runner, run on request. */
function fakeHooks() {
  const starts: (() => Promise<void>)[] = [];
  const stops: (() => Promise<void>)[] = [];
  const restores: (() => Promise<void>)[] = [];
  const runAll = async (all: readonly (() => Promise<void>)[]): Promise<void> => {
    for (const run of all) await run();
  };
  return {
    hooks: {
      beforeAll: (start: () => Promise<void>) => starts.push(start),
      afterAll: (stop: () => Promise<void>) => stops.push(stop),
      beforeEach: (restore: () => Promise<void>) => restores.push(restore),
    },
    start: () => runAll(starts),
    beginTest: () => runAll(restores),
    stop: () => runAll(stops),
  };
}

// Fakes of Jest's globals: Jest itself, of some 300 packages, is not installed for the tests.
describe('useEmulator', () => {
  it('starts before the first test and closes after the last', async () => {
    const { hooks, start, stop } = fakeHooks();
    const emulator = useEmulator({ accounts: 'any' }, hooks);
    await start();
    const { url } = emulator;
    expect((await fetch(`${url}/_emulator/health`)).status).toBe(200);
    expect(emulator.account().url).toMatch(url);
    expect(emulator.connectionString).toMatch(url);
    await emulator.reset();
    expect(emulator.capacity().accounts).toEqual([]);
    await stop();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('throws if it is used too early or too late', async () => {
    const { hooks, start, stop } = fakeHooks();
    const emulator = useEmulator({}, hooks);
    expect(() => emulator.account()).toThrow(/from beforeAll to afterAll/);
    await start();
    await stop();
    expect(() => emulator.url).toThrow(/from beforeAll to afterAll/);
  });

  it('closes nothing if the start failed', async () => {
    const { hooks, start, stop } = fakeHooks();
    useEmulator({ accounts: [] }, hooks);
    await expect(start()).rejects.toThrow(TypeError);
    await stop();
  });

  it('refuses options as startEmulator does, when the tests start', async () => {
    const { hooks, start, stop } = fakeHooks();
    useEmulator({ throttel: 'enforce' } as StartOptions, hooks);
    await expect(start()).rejects.toThrow(
      /^startEmulator: there is no option throttel; did you mean throttle\? the options are port, /,
    );
    await stop();
  });

  it('uses the global hooks of Jest, and says what to do if there are none', () => {
    const { hooks } = fakeHooks();
    expect(() => useEmulator()).toThrow(/give them as the second argument/);
    Object.assign(globalThis, hooks);
    try {
      expect(() => useEmulator()).not.toThrow();
    } finally {
      for (const name of Object.keys(hooks)) Reflect.deleteProperty(globalThis, name);
    }
  });
});

describe('restoreBeforeEach', () => {
  const table = (emulator: { readonly connectionString: string }): TableClient =>
    TableClient.fromConnectionString(emulator.connectionString, 'pets', { allowInsecureConnection: true });
  const keysOf = async (client: TableClient): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { rowKey } of client.listEntities()) keys.push(String(rowKey));
    return keys;
  };

  it('begins each test with what was prepared once', async () => {
    const { hooks, start, beginTest, stop } = fakeHooks();
    const emulator = useEmulator({}, hooks);
    let prepared = 0;
    restoreBeforeEach(
      emulator,
      'base',
      async () => {
        prepared += 1;
        await table(emulator).createTable();
        await table(emulator).createEntity({ partitionKey: 'dog', rowKey: 'rex' });
      },
      hooks,
    );
    await start();
    for (let test = 0; test < 3; test++) {
      await beginTest();
      expect(await keysOf(table(emulator))).toEqual(['rex']);
      await table(emulator).deleteEntity('dog', 'rex');
      await table(emulator).createEntity({ partitionKey: 'dog', rowKey: 'tim' });
    }
    expect(prepared).toBe(1);
    await stop();
  });

  it('restores a snapshot that exists if nothing is prepared, and fails the test if it does not', async () => {
    const { hooks, start, beginTest, stop } = fakeHooks();
    const emulator = useEmulator({}, hooks);
    restoreBeforeEach(emulator, 'base', undefined, hooks);
    await start();
    await expect(beginTest()).rejects.toMatchObject({ code: 'SnapshotNotFound' });
    await emulator.snapshot('base');
    await table(emulator).createTable();
    await beginTest();
    await expect(keysOf(table(emulator))).rejects.toMatchObject({ statusCode: 404 });
    await stop();
  });

  it('fails every test with the error of what was to be prepared', async () => {
    const { hooks, start, beginTest, stop } = fakeHooks();
    const emulator = useEmulator({}, hooks);
    const prepare = (): never => {
      throw new Error('mine');
    };
    restoreBeforeEach(emulator, 'base', prepare, hooks);
    await start();
    for (let test = 0; test < 2; test++) await expect(beginTest()).rejects.toThrow('mine');
    await stop();
  });

  it('says what to do if there are no global hooks', async () => {
    const emulator = useEmulator({}, fakeHooks().hooks);
    expect(() => restoreBeforeEach(emulator, 'base')).toThrow(/give it as the last argument/);
  });
});

describe('the global setup', () => {
  const connectionString = () => process.env['TANZANITE_CONNECTION_STRING'];
  afterEach(tearDown);

  it('sets environment variables for its emulator until the teardown', async () => {
    await setUp();
    const url = /TableEndpoint=(http:[^;]+)\/devstoreaccount1;/.exec(connectionString() ?? '')?.[1];
    expect((await fetch(`${url}/_emulator/health`)).status).toBe(200);
    await tearDown();
    expect(connectionString()).toBeUndefined();
    await expect(fetch(String(url))).rejects.toThrow();
  });

  it('returns its teardown for runners that call what the setup returns', async () => {
    const tearDownOfRun = await setUp();
    await tearDownOfRun();
    expect(connectionString()).toBeUndefined();
  });
});
