import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { afterEach, describe, expect, it } from 'vitest';
import setUp from '../../../src/library/global-setup.ts';
import tearDown from '../../../src/library/global-teardown.ts';
import { restoreBeforeEach, type StartOptions, type TestOptions, useEmulator } from '../../../src/library/jest.ts';
import { useEmulatorWith } from '../../../src/library/use-emulator.ts';

/** Hooks like those of a test runner. A test calls them when it wants. */
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

// Jest's globals are imitated: Jest itself, with about 300 packages, is not installed for the tests.
describe('useEmulator', () => {
  it('starts the emulator before the first test and closes it after the last', async () => {
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

  it('refuses the same options as startEmulator, when the tests start', async () => {
    const { hooks, start, stop } = fakeHooks();
    useEmulator({ throttel: 'enforce' } as StartOptions, hooks);
    await expect(start()).rejects.toThrow(
      /^startEmulator: there is no option throttel; did you mean throttle\? the options are port, /,
    );
    await stop();
  });

  it('uses the global hooks of Jest, and says what to do if there are none', () => {
    const { hooks } = fakeHooks();
    expect(() => useEmulator()).toThrow(/pass them as the second argument/);
    Object.assign(globalThis, hooks);
    try {
      expect(() => useEmulator()).not.toThrow();
    } finally {
      for (const name of Object.keys(hooks)) Reflect.deleteProperty(globalThis, name);
    }
  });
});

/** Hooks of a runner that gives them the error of a test. */
function runnerOf(options: TestOptions) {
  const { hooks, start, beginTest, stop } = fakeHooks();
  const ends: ((...failures: readonly unknown[]) => Promise<void>)[] = [];
  const emulator = useEmulatorWith({ ...hooks, afterEach: (end) => ends.push(end) }, options);
  const endTest = async (...failures: readonly unknown[]): Promise<void> => {
    for (const end of ends) await end(...failures);
  };
  return { emulator, start, beginTest, endTest, stop };
}

const refused = 'tanzanite refused requests of this test:';

describe('What useEmulator does for each test', () => {
  const busy = {
    name: 'busy',
    match: { operation: 'QueryTables' },
    fault: { kind: 'error', code: 'ServerBusy' },
  } as const;
  const readPolicies = ({ connectionString }: { readonly connectionString: string }) =>
    TableClient.fromConnectionString(connectionString, 'pets', {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    }).getAccessPolicy();

  it('sets the faults and the clock of the options again, whatever the previous test did', async () => {
    const { emulator, start, beginTest, endTest, stop } = runnerOf({ faults: [busy], clock: '2030-01-31T12:00:00Z' });
    await start();
    for (let test = 0; test < 3; test++) {
      await beginTest();
      expect(await emulator.faults.list()).toMatchObject([{ name: 'busy', hits: 0 }]);
      expect(emulator.clock.read().now).toMatch(/^2030-01-31T12:00/);
      await emulator.faults.clear();
      await emulator.clock.advance(86_400_000);
      await endTest();
      expect(await emulator.faults.list()).toEqual([]);
    }
    await stop();
  });

  it('adds the rules of a file, and those of chaos, again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'faults-'));
    const file = join(folder, 'faults.json');
    await writeFile(file, JSON.stringify([busy]));
    for (const options of [{ faults: file }, { faults: 'chaos' }, { profile: 'chaos' }] as const) {
      const { emulator, start, beginTest, endTest, stop } = runnerOf(options);
      await start();
      const namesOf = async () => (await emulator.faults.list()).map(({ name, fault }) => [name, fault.kind]);
      const first = await namesOf();
      expect(first).not.toEqual([]);
      for (let test = 0; test < 2; test++) {
        await beginTest();
        expect(await namesOf()).toEqual(first);
        await endTest();
      }
      await stop();
    }
    await rm(folder, { recursive: true });
  });

  it('begins each test with a frozen clock', async () => {
    const { emulator, start, beginTest, endTest, stop } = runnerOf({ clock: 'frozen' });
    await start();
    for (let test = 0; test < 2; test++) {
      await beginTest();
      expect(emulator.clock.read().isFrozen).toBe(true);
      await emulator.clock.resume();
      await endTest();
    }
    await stop();
  });

  it('fails a test whose rule or time is invalid, and says why', async () => {
    const wrong = { ...busy, fault: { kind: 'eror' } } as unknown as typeof busy;
    for (const [options, words] of [
      [{ faults: wrong }, /kind/],
      [{ clock: 'tomorrow' }, /^clock.set: the date must be/],
    ] as const) {
      const { start, beginTest, stop } = runnerOf(options);
      await start();
      await expect(beginTest()).rejects.toThrow(words);
      await stop();
    }
  });

  it('says if a hook that the options need is missing', () => {
    const { beforeAll, afterAll } = fakeHooks().hooks;
    expect(() => useEmulator({ clock: 'frozen' }, { beforeAll, afterAll })).toThrow(/need the hook beforeEach/);
  });

  it('adds the refused requests of a failed test to its error, and none of earlier tests', async () => {
    const seen: number[] = [];
    const { emulator, start, beginTest, endTest, stop } = runnerOf({ onRequest: ({ status }) => seen.push(status) });
    await start();
    await beginTest();
    await expect(readPolicies(emulator)).rejects.toThrow();
    await endTest();
    await beginTest();
    const passed = new Error('nothing was refused');
    await endTest(passed);
    expect(passed.message).toBe('nothing was refused');
    await beginTest();
    await expect(readPolicies(emulator)).rejects.toThrow();
    expect(emulator.refusals()).toMatchObject([{ status: 404, code: 'TableNotFound', table: 'pets' }]);
    const cause = new Error('mine $& $1');
    const wrapper = new Error('wrapped', { cause });
    await endTest(wrapper, cause);
    for (const { message, stack } of [wrapper, cause]) {
      expect(message).toContain(`${refused}\n  404 TableNotFound GetTableAcl pets`);
      expect(stack).toContain(message);
    }
    expect(cause.message).toMatch(/^mine \$& \$1\n/);
    expect(seen).toEqual([404, 404]);
    await stop();
  });

  it('shows the last twenty without control characters; frozen errors and non-errors do not change', async () => {
    const { emulator, start, beginTest, endTest, stop } = runnerOf({});
    await start();
    await beginTest();
    for (let at = 0; at < 25; at++)
      await fetch(`${emulator.url}/devstoreaccount1/pets(PartitionKey='%1B[2J',RowKey='${at}')`);
    expect(emulator.refusals()).toHaveLength(25);
    const error = new Error('mine');
    const frozen = Object.freeze(new Error('frozen'));
    await endTest(error, frozen, 'text', null, undefined);
    expect(error.message.match(/\n {2}403 /g)).toHaveLength(20);
    expect(error.message).toContain('… 5 before');
    expect(error.message).not.toContain('\u001b');
    expect(frozen.message).toBe('frozen');
    await stop();
  });

  it('finds the error of the test that Jest is running', async () => {
    const { hooks, start, beginTest, stop } = fakeHooks();
    const ends: (() => Promise<void>)[] = [];
    const emulator = useEmulator({}, { ...hooks, afterEach: (end: () => Promise<void>) => ends.push(end) });
    const state = Symbol('JEST_STATE_SYMBOL');
    const error = new Error('mine');
    Object.assign(globalThis, { [state]: { currentlyRunningTest: { errors: [[error, new Error('where')]] } } });
    try {
      await start();
      await beginTest();
      await expect(readPolicies(emulator)).rejects.toThrow();
      for (const end of ends) await end();
      expect(error.message).toContain(`${refused}\n  404 TableNotFound`);
    } finally {
      Reflect.deleteProperty(globalThis, state);
      await stop();
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

  it('begins each test with the data that was prepared once', async () => {
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

  it('fails every test with the error of the preparation', async () => {
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
    expect(() => restoreBeforeEach(emulator, 'base')).toThrow(/pass it as the last argument/);
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

  it('returns its teardown for runners that call the function that a setup returns', async () => {
    const tearDownOfRun = await setUp();
    await tearDownOfRun();
    expect(connectionString()).toBeUndefined();
  });
});
