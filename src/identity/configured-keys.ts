// The keys that --oauth-keys names: a file, which is read again when it changes, or an address, which is fetched when a token needs
// it. What was good stays in force when the next reading fails.

import { pollFile } from '../auth/polled-file.ts';
import type { TokenKeys } from '../auth/token-keys.ts';
import { networkReason, openExchange, readText } from '../data/http-exchange.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import { isLoopbackAddress } from '../model/request-source.ts';
import type { MachineTime } from '../model/time.ts';
import { type KeySet, parseKeySet } from './key-set.ts';

export interface ConfiguredKeys extends TokenKeys {
  /** Reads the keys again if that is due, and waits for nothing. */
  refresh(): void;
  close(): void;
}

interface KeysOptions {
  readonly time: MachineTime;
  readonly log: EmulatorLog | undefined;
}

/** Throws an Error that says what is wrong with the file or the address. An address is not fetched yet. */
export function openConfiguredKeys(source: string, options: KeysOptions): ConfiguredKeys {
  return /^https?:/i.test(source) ? keysAt(readAddress(source), options) : keysInFile(source, options);
}

function keysInFile(file: string, { time, log }: KeysOptions): ConfiguredKeys {
  let keys: KeySet = new Map();
  let generation = 0;
  const { close } = pollFile(file, {
    time,
    take: (text) => {
      keys = parseKeySet(text);
      generation++;
    },
    onUnusable: (err) => log?.error({ err, file }, 'keys of tokens kept as they were'),
  });
  return {
    find: (kid) => keys.get(kid),
    refresh: () => undefined,
    get generation() {
      return generation;
    },
    close,
  };
}

function readAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error('it is not an address');
  if (url.username !== '' || url.password !== '') throw new Error('the address holds a name or a password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'http:' && host !== 'localhost' && !isLoopbackAddress(host)) {
    throw new Error('http is taken for this machine alone; elsewhere the address must begin with https://');
  }
  return url;
}

/** Issuers publish a new key days before they use it. */
const refreshMs = 600_000;
/** A `kid` that is not there may be a new key, or invented: the issuer is not asked for each. */
const retryMs = 30_000;

/** Fetches at the first token, again for a key that is not there, and every ten minutes while tokens come. */
function keysAt(url: URL, { time, log }: KeysOptions): ConfiguredKeys {
  let keys: KeySet = new Map();
  let generation = 0;
  let askedMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      const next = await fetchKeySet(url, time);
      if (!isSame(keys, next)) generation++;
      keys = next;
    } catch (error) {
      // A query may hold a key.
      log?.error(
        { url: `${url.origin}${url.pathname}`, reason: networkReason(error) },
        'keys of tokens cannot be fetched',
      );
    } finally {
      asking = undefined;
    }
  };
  const askAfter = (ageMs: number): void => {
    if (asking !== undefined || time.monotonicMs() - askedMs < ageMs) return;
    askedMs = time.monotonicMs();
    asking = ask();
  };
  return {
    async find(kid) {
      if (!keys.has(kid)) {
        askAfter(retryMs);
        await asking;
      }
      return keys.get(kid);
    },
    refresh: () => askAfter(refreshMs),
    get generation() {
      return generation;
    },
    close: () => undefined,
  };
}

function isSame(before: KeySet, after: KeySet): boolean {
  return before.size === after.size && [...before].every(([kid, key]) => after.get(kid)?.equals(key));
}

const fetchMsMax = 5_000;
const bytesMax = 1_048_576;

/** Follows no redirection. */
async function fetchKeySet(url: URL, time: MachineTime): Promise<KeySet> {
  const patience = new AbortController();
  const cancel = time.after(fetchMsMax, () =>
    patience.abort(new Error(`no answer within ${fetchMsMax / 1000} seconds`)),
  );
  try {
    const response = await openExchange(url, {
      method: 'GET',
      headers: { Accept: 'application/json' },
      agent: false,
      signal: patience.signal,
      rejectUnauthorized: true,
      body: undefined,
    });
    if (response.statusCode === 200) return parseKeySet(await readText(response, bytesMax));
    response.destroy();
    throw new Error(`the response has the status ${response.statusCode}`);
  } finally {
    cancel();
  }
}
