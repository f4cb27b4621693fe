import { describe, expect, it } from 'vitest';
import { readOptions } from '../../../src/library/read-options.ts';
import type { EmulatorOptions } from '../../../src/settings/emulator-options.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { readStart } from '../cli/read-start.ts';

/** Reads options of any type, because JavaScript may pass any. */
const read = (options: unknown) => readOptions(options as EmulatorOptions).settings;

function refusalOf(options: unknown): string {
  try {
    read(options);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message;
  }
  return 'none';
}

describe('Unknown options', () => {
  it.each([
    ['xyzzy', { xyzzy: 'enforce' }, 'port, host, tls, https'],
    ['capacity.throttle', { capacity: { throttle: 'enforce' } }, 'capacity.scale'],
    ['tls.pfx', { tls: { cert: 'c', key: 'k', pfx: 'p' } }, 'tls.cert, tls.key'],
    ['constructor', JSON.parse('{"constructor":1}'), 'port, host'],
  ])('are refused with the known names: %s', (name, options, known) => {
    expect(refusalOf(options)).toContain(`startEmulator: there is no option ${name}; the options are ${known}`);
  });

  it.each([
    ['trottle', { trottle: 'enforce' }, 'throttle'],
    ['capacity.scal', { capacity: { scal: 0.1 } }, 'capacity.scale'],
    ['tablePort', { tablePort: 0 }, 'port'],
    ['--table-host', { '--table-host': '::1' }, 'host'],
    ['TANZANITE_IN_MEMORY_PERSISTENCE', { TANZANITE_IN_MEMORY_PERSISTENCE: true }, 'inMemory'],
    ['partitionTarget', { partitionTarget: 5 }, 'capacity.partitionTarget'],
    ['accounts[0].key', { accounts: [{ name: 'mine', key: 'QUJD' }] }, 'accounts[0].keys'],
  ])('are refused with the name that was probably meant: %s', (name, options, meant) => {
    expect(refusalOf(options)).toContain(
      `startEmulator: there is no option ${name}; did you mean ${meant}? the options`,
    );
  });

  it.each([[null], ['any'], [5], [[]]])('are refused if they are not an object but %j', (options) => {
    expect(refusalOf(options)).toBe('startEmulator: the argument must be an object');
  });
});

const dayMs = 86_400_000;
const mine = { name: 'mine', keys: ['QUJD'] };

describe('Invalid values of an option', () => {
  it.each<[string, unknown, string]>([
    ['an invalid throttle', { throttle: 'enforced' }, 'throttle must be one of off, observe, enforce'],
    ['a throttle of null', { throttle: null }, 'throttle must be one of off, observe, enforce'],
    ['a target in words', { capacity: { accountTarget: 'many' } }, 'capacity.accountTarget must be a number above 0'],
    ['an invalid target', { capacity: { rangeTarget: Number.NaN } }, 'capacity.rangeTarget must be a number above'],
    ['no end of a target', { capacity: { partitionTarget: Infinity } }, 'capacity.partitionTarget must be a number'],
    ['half a place in the queue', { capacity: { queueLength: 0.5 } }, 'capacity.queueLength must be a whole number'],
    ['less than no queue', { capacity: { queueLength: -0.5 } }, 'capacity.queueLength must be a whole number'],
    [
      'no room for any request',
      { requestsInFlightMax: 0 },
      'requestsInFlightMax must be a whole number from 1 to 1000000',
    ],
    ['a capacity that is a number', { capacity: 5 }, 'capacity must be an object'],
    ['a port in a text', { port: '80' }, 'port must be a whole number from 0 to 65535'],
    ['an empty host', { host: '' }, 'host must be a string that is not empty'],
    ['an empty location', { location: '' }, 'location must be a string that is not empty'],
    ['a location of null', { location: null }, 'location must be a string that is not empty'],
    ['a listener that is none', { onRequest: 'print' }, 'onRequest must be a function'],
    ['a log without its methods', { log: {} }, 'log must be an object with the methods info, warn and error'],
    ['a truth in a text', { loose: 'false' }, 'loose must be true or false'],
    ['a truth as a number', { explain: 1 }, 'explain must be true or false'],
    ['a truth as text', { allowForeignPages: 'true' }, 'allowForeignPages must be true or false'],
    ['a store that is not a database', { store: 'file:hush' }, 'store must be the address of a PostgreSQL database'],
    ['a collector without a scheme', { otlp: 'hush:4318' }, 'otlp must be an address that begins with http://'],
    ['a viewer without a trace', { traceUrl: 'https://hush/' }, 'traceUrl must be an address that begins with http'],
    ['memory in a text', { inMemory: 'no' }, 'inMemory must be true or false'],
    ['a certificate without its key', { tls: { cert: 'c' } }, 'tls.key must be a string that is not empty'],
    ['a certificate that is not a string', { tls: { cert: Buffer.from('c'), key: 'k' } }, 'tls.cert must be a string'],
    [
      'a token that is not a string',
      { controlToken: 1_234_567_890_123_456 },
      'controlToken must be 16 to 1024 visible ASCII characters',
    ],
    ['accounts in a text', { accounts: 'mine:QUJD' }, 'accounts must be a list of { name, keys }, or any'],
    ['accounts that are not objects', { accounts: ['mine'] }, 'accounts[0] must be an object'],
    ['keys that are not a list', { accounts: [{ name: 'mine', keys: 'QUJD' }] }, 'accounts[0].keys must be a list'],
    ['a key that is not a string', { accounts: [{ name: 'mine', keys: [5] }] }, 'accounts[0].keys[0] must be a string'],
    [
      'a name with capitals',
      { accounts: [{ ...mine, name: 'Mine' }] },
      'accounts: entry 1 begins with no account name',
    ],
    ['no key', { accounts: [{ name: 'mine', keys: [] }] }, 'accounts: account mine needs one or two keys'],
    ['three keys', { accounts: [{ name: 'mine', keys: ['QUJD', 'QUJD', 'QUJD'] }] }, 'accounts: account mine needs'],
    [
      'a key that is not base64',
      { accounts: [{ name: 'mine', keys: ['?'] }] },
      'accounts: a key of account mine is not',
    ],
    ['one name twice', { accounts: [mine, mine] }, 'accounts: names an account twice'],
    [
      'two accounts in one',
      { accounts: [{ name: 'mine', keys: ['QUJD;other:QUJD'] }] },
      'accounts: a name or a key contains',
    ],
    ['a key in a name', { accounts: [{ name: 'mine:QUJD', keys: ['QUJD'] }] }, 'accounts: a name or a key contains'],
  ])('are refused with the allowed values: %s', (_, options, message) => {
    expect(refusalOf(options)).toContain(`startEmulator: ${message}`);
  });

  it('are not repeated, because they may be secrets', () => {
    const secret = 'secret-secret';
    for (const options of [
      { controlToken: secret },
      { tls: secret },
      { throttle: secret },
      { accounts: [{ name: 'mine', keys: [secret] }] },
      { accounts: [{ name: 'mine', keys: [`QUJD;${secret}:?`] }] },
      { accounts: [{ name: `mine:${secret}`, keys: ['?'] }] },
    ]) {
      expect(refusalOf(options)).not.toContain(secret);
    }
  });
});

describe('Given options', () => {
  it('determine the settings', () => {
    const options = {
      accounts: [
        { name: 'mine', keys: ['QUJD', 'QUJE'] },
        { ...mine, name: 'my-other' },
      ],
    };
    expect(read(options).accounts).toEqual(options.accounts);
    const capacity = { scale: 0.5, partitionTarget: 0.01, queueLength: 0 };
    const settings = read({ throttle: 'enforce', capacity });
    expect(settings.throttle).toBe('enforce');
    expect(settings.capacity).toEqual({ ...defaultSettings.capacity, ...capacity });
    expect(read({ tls: { cert: 'c', key: 'k' } }).tls).toEqual({ cert: 'c', key: 'k' });
  });

  it('have no effect if they are undefined', () => {
    const none = { port: undefined, capacity: { scale: undefined }, tls: undefined, unheardOf: undefined };
    expect(read(none)).toEqual(read({}));
  });

  it('may be inherited', () => {
    expect(refusalOf(Object.create({ throttle: 'enforced' }))).toContain('throttle must be');
    expect(read(Object.create({ throttle: 'off' })).throttle).toBe('off');
  });
});

describe('Options and flags', () => {
  const flagTakes = async (flag: string, value: number | string): Promise<boolean> =>
    readStart(`${flag}=${value}`).then(
      () => true,
      () => false,
    );
  const day = dayMs / 1000;

  /**
   * The flag accepts the first two of `values`, which are the lowest and the highest value that it accepts. The flag
   * refuses the rest of `values`. `unit` is the value of the option that corresponds to the value 1 of the flag.
   */
  it.each<[name: string, flag: string, values: number[], unit: number, wrap: (value: number) => object]>([
    ['port', '--tablePort', [0, 65_535, -1, 65_536, 0.5], 1, (port) => ({ port })],
    [
      'keepAliveTimeoutMs',
      '--tableKeepAliveTimeout',
      [0, day, -1, day + 1],
      1000,
      (keepAliveTimeoutMs) => ({ keepAliveTimeoutMs }),
    ],
    ['tableDeleteDelayMs', '--table-delete-delay', [0, day, -1, day + 1], 1000, (ms) => ({ tableDeleteDelayMs: ms })],
    ['replicaLagMs', '--replica-lag', [0, day, -1, day + 1], 1000, (replicaLagMs) => ({ replicaLagMs })],
    ['faultSeed', '--fault-seed', [0, 999_999_999, -1, 1e9, 0.5], 1, (faultSeed) => ({ faultSeed })],
    ['retryAfterSeconds', '--retry-after', [0, day, -1, day + 1, 0.5], 1, (s) => ({ retryAfterSeconds: s })],
    [
      'requestsInFlightMax',
      '--requests-in-flight-max',
      [1, 1e6, 0, 1e6 + 1, 1.5],
      1,
      (n) => ({ requestsInFlightMax: n }),
    ],
    ['scale', '--throttle-scale', [0.001, 1000, 0, -1, 1000.5], 1, (scale) => ({ capacity: { scale } })],
    [
      'queueLength',
      '--throttle-queue',
      [0, 1e5, -1, 1e5 + 1, 0.5],
      1,
      (queueLength) => ({ capacity: { queueLength } }),
    ],
    [
      'accountTarget',
      '--account-target',
      [1, 1e6, 0, 1e6 + 1],
      1,
      (accountTarget) => ({ capacity: { accountTarget } }),
    ],
    ['rangeTarget', '--range-target', [1, 1e6, 0, 1e6 + 1], 1, (rangeTarget) => ({ capacity: { rangeTarget } })],
    ['partitionTarget', '--partition-target', [1, 1e6, 0, 1e6 + 1], 1, (n) => ({ capacity: { partitionTarget: n } })],
    [
      'splitAfterMs',
      '--split-after',
      [0.001, day, 0, day + 1],
      1000,
      (splitAfterMs) => ({ capacity: { splitAfterMs } }),
    ],
    [
      'mergeAfterMs',
      '--merge-after',
      [0.001, day, 0, day + 1],
      1000,
      (mergeAfterMs) => ({ capacity: { mergeAfterMs } }),
    ],
    ['waitMsMax', '--throttle-wait-max', [0.001, day, 0, day + 1], 1000, (waitMsMax) => ({ capacity: { waitMsMax } })],
    ['moveMs', '--move-time', [0.001, day, 0, day + 1], 1000, (moveMs) => ({ capacity: { moveMs } })],
  ])('have the same bounds: %s and %s', async (name, flag, values, unit, wrap) => {
    const verdicts = await Promise.all(values.map((value) => flagTakes(flag, value)));
    expect(verdicts).toEqual(values.map((_, at) => at < 2));
    for (const [at, value] of values.entries()) {
      const refusal = refusalOf(wrap(value * unit));
      if (at < 2) expect(refusal).toBe('none');
      else expect(refusal).toContain(`${name} must be`);
    }
  });

  it.each([
    ['durability', '--durability', ['process', 'power', 'none']],
    ['secondary', '--secondary', ['live', 'bootstrap', 'unavailable']],
    ['pageBoundaries', '--page-boundaries', ['none', 'partition', 'range']],
    ['throttle', '--throttle', ['off', 'observe', 'enforce']],
  ])('have the same choices: %s and %s', async (name, flag, choices) => {
    for (const choice of choices) {
      expect(await flagTakes(flag, choice)).toBe(true);
      expect(refusalOf({ [name]: choice })).toBe('none');
    }
    expect(await flagTakes(flag, 'other')).toBe(false);
    expect(refusalOf({ [name]: 'other' })).toBe(`startEmulator: ${name} must be one of ${choices.join(', ')}`);
  });

  it('accept every version policy of the library', () => {
    for (const apiVersions of ['known', 'newer', 'any']) expect(refusalOf({ apiVersions })).toBe('none');
    expect(refusalOf({ apiVersions: 'all' })).toBe('startEmulator: apiVersions must be one of known, newer, any');
  });
});
