import { isIP } from 'node:net';
import { askEmulator } from './ask-emulator.ts';
import { NoAnswer } from './exit-codes.ts';

/** Where a start could not listen. */
interface TakenAddress {
  readonly host: string;
  readonly port: number;
}

const timeoutMs = 3_000;

/** Describes the Tanzanite that listens there; undefined where something else does. */
export async function describeOwner({ host, port }: TakenAddress): Promise<string | undefined> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host;
  for (const scheme of ['http', 'https']) {
    const url = `${scheme}://${name}:${port}`;
    const health = await healthAt(url);
    if (health !== undefined) return `another Tanzanite at ${url}${describeProcess(health)}`;
  }
  return undefined;
}

async function healthAt(url: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const question = { method: 'GET', path: 'health', expects: 'uptimeSeconds', timeoutMs } as const;
    return await askEmulator(question, { url, isInsecure: true });
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}

/** An older version says neither. */
function describeProcess({ pid, location }: Readonly<Record<string, unknown>>): string {
  if (typeof pid !== 'number') return '';
  return `, process ${pid}, ${typeof location === 'string' ? `data in ${location}` : 'data in memory'}`;
}
