import { connect } from 'node:net';
import { authorization, developmentKey } from './client.ts';

/** Sends bytes that no HTTP client would, and gives what comes back until the other side hangs up. */
export function sendRaw(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', reject);
    socket.write(text, 'latin1');
  });
}

export interface RawHead {
  readonly method: string;
  /** The whole request target. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A signed request up to its body, asking for the connection to be closed after the answer. */
export function signedHead({ method, target, headers }: RawHead): string {
  const all: Record<string, string> = {
    'x-ms-date': new Date().toUTCString(),
    'x-ms-version': '2019-02-02',
    Accept: 'application/json;odata=nometadata',
    Connection: 'close',
    ...headers,
  };
  const account = 'devstoreaccount1';
  all['Authorization'] = authorization(
    { method, target, headers: all },
    { account, key: developmentKey, scheme: 'SharedKeyLite' },
  );
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
