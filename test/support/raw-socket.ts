import { connect } from 'node:net';
import { authorization, developmentKey } from './table-client.ts';
import { answerIn } from './witness/batch-parts.ts';
import { tableWitness, witnessAt } from './witness/witnesses.ts';

/**
 * Sends bytes that no HTTP client would send. Returns everything that the other side sends until it closes the
 * connection.
 */
export function sendRaw(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => {
      const received = Buffer.concat(chunks).toString('latin1');
      try {
        witnessFirst(text, received);
      } catch (fault) {
        reject(fault);
      }
      resolve(received);
    });
    socket.on('error', reject);
    socket.write(text, 'latin1');
  });
}

/** Makes a test fail if the OpenAPI descriptions do not have the first response. */
function witnessFirst(sent: string, received: string): void {
  const answer = answerIn(received);
  const lengthOf = (name: string): string | undefined =>
    answer.headers.find(([header]) => header.toLowerCase() === name)?.[1];
  const isChunked = lengthOf('transfer-encoding') !== undefined;
  // A body without a length ends with the connection, as in HTTP/1.0.
  const body = isChunked
    ? unchunked(answer.body)
    : answer.body.slice(0, Number(lengthOf('content-length') ?? Infinity));
  const whole = { ...answer, body };
  const [, method = '', wireTarget = ''] = /^([A-Z]+) (\S+) HTTP\/1\.\d\r\n/.exec(sent) ?? [];
  const target = wireTarget.replace(/^https?:\/\/[^/]*/, '');
  if (lengthOf('content-type')?.startsWith('text/html')) tableWitness().seeMalformed(whole);
  else witnessAt(method, target, whole);
}

/** Decodes a body in chunks. Text after the last chunk belongs to another response and is ignored. */
function unchunked(text: string): string {
  let body = '';
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    const length = Number.parseInt(text.slice(at, lineEnd), 16);
    if (lineEnd === -1 || !(length > 0)) return body;
    body += text.slice(lineEnd + 2, lineEnd + 2 + length);
    at = lineEnd + 2 + length + 2;
  }
}

export interface RawHead {
  readonly method: string;
  /** The complete request target. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A signed request up to its body. It has Connection: close. */
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
