// Explains in a sentence why a server cannot listen on an address. If another Tanzanite uses the port, the sentence
// names the process of that Tanzanite.

import { isIP } from 'node:net';
import { openExchange, readText } from './http-exchange.ts';

/** The address on which the server could not listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The names of the two settings on the command line or in the library: `--tablePort`, `port`. */
export interface AddressNames {
  readonly host: string;
  readonly port: string;
}

const optionNames: AddressNames = { host: 'host', port: 'port' };

/** The server cannot listen on an address. The message names the options of the library. */
export class UnusableAddress extends Error {
  /** The system's code, such as `EADDRINUSE`. */
  readonly code: string;
  readonly #explain: (names: AddressNames) => string;

  constructor(code: string, explain: (names: AddressNames) => string, cause: unknown) {
    super(explain(optionNames), { cause });
    this.code = code;
    this.#explain = explain;
  }

  /** The message with other names of the settings. */
  text(names: AddressNames): string {
    return this.#explain(names);
  }
}

/** An error of `listen` as UnusableAddress. Other errors are returned unchanged. */
export async function explainListenError(error: unknown, { host, port }: ListenAddress): Promise<unknown> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === 'EADDRINUSE') {
    const owner = await describeOwner({ host, port });
    const user = owner === undefined ? '. Stop the program that uses it' : ` by ${owner}. Use that emulator, stop it`;
    const text = (names: AddressNames): string =>
      `port ${port} on ${host} is in use${user}, or choose another with ${names.port} (0 for any free one).`;
    return new UnusableAddress(code, text, error);
  }
  if (code === 'EACCES') {
    const text = (names: AddressNames): string =>
      `port ${port} on ${host} needs more rights. Choose one above 1023 with ${names.port}.`;
    return new UnusableAddress(code, text, error);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const text = (names: AddressNames): string =>
      `${host} is not an address of this machine. Choose another with ${names.host}.`;
    return new UnusableAddress(code, text, error);
  }
  return error;
}

/** Describes the Tanzanite that listens on the address; undefined if another program does. */
async function describeOwner({ host, port }: ListenAddress): Promise<string | undefined> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host;
  for (const scheme of ['http', 'https']) {
    const url = `${scheme}://${name}:${port}`;
    const health = await healthAt(url);
    if (health !== undefined) return `another Tanzanite at ${url}${describeProcess(health)}`;
  }
  return undefined;
}

type Health = Readonly<Record<string, unknown>>;

const timeoutMs = 3_000;
const healthBytesMax = 65_536;

async function healthAt(url: string): Promise<Health | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { method: 'GET', agent: false, signal, rejectUnauthorized: false, body: undefined };
  try {
    const response = await openExchange(new URL(`${url}/_emulator/health`), options);
    const health: unknown = JSON.parse(await readText(response, healthBytesMax));
    return typeof health === 'object' && health !== null && 'uptimeSeconds' in health ? { ...health } : undefined;
  } catch {
    return undefined;
  }
}

/** The process and its data. Empty for an older version, which reports neither of them. */
function describeProcess({ pid, location }: Health): string {
  if (typeof pid !== 'number') return '';
  return `, process ${pid}, ${typeof location === 'string' ? `data in ${location}` : 'data in memory'}`;
}
