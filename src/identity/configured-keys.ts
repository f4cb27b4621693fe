// Reads the keys from the file or address that `--oauth-keys` names. A file is read again when it changes. Keys at an
// address are fetched when a token needs them. If a later read fails, the last good keys stay in use.

import { pollFile } from '../auth/polled-file.ts';
import type { TokenKeys } from '../auth/token-keys.ts';
import { networkReason, openExchange, readText } from '../data/http-exchange.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import { isLoopbackAddress } from '../model/request-source.ts';
import type { MachineTime } from '../model/time.ts';
import { type KeySet, parseKeySet } from './key-set.ts';

export interface ConfiguredKeys extends TokenKeys {
  /** Starts to read the keys again if that is due. Does not wait. */
  refresh(): void;
  close(): void;
}

interface KeysOptions {
  readonly time: MachineTime;
  readonly log: EmulatorLog | undefined;
}

/** Throws an Error that says what is wrong with the file or the address. Does not fetch from an address yet. */
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
    onUnusable: (err) => log?.error({ err, file }, 'cannot read the keys of tokens: the previous keys stay in use'),
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
  if (url.username !== '' || url.password !== '') throw new Error('the address contains a name or a password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'http:' && host !== 'localhost' && !isLoopbackAddress(host)) {
    throw new Error('http is accepted only for this machine: any other address must begin with https://');
  }
  return url;
}

/** Issuers publish a new key days before they use it. */
const refreshMs = 600_000;
/** An unknown `kid` may be a new key, or invented, so the keys are fetched at most this often. */
const retryMs = 30_000;

/** Fetches at the first token, again for an unknown key, and every ten minutes while tokens arrive. */
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
      // The query is left out because it may contain a key.
      log?.error(
        { url: `${url.origin}${url.pathname}`, reason: networkReason(error) },
        'cannot fetch the keys of tokens',
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

/** Fetches a key set. Does not follow redirects. */
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
