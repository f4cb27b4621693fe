import { request } from 'node:http';
import { witnessAt } from './witness/witnesses.ts';

export interface ControlRequest {
  readonly method?: string;
  /** The request target, sent unchanged. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * An object is sent as JSON. A text is sent unchanged. The Content-Type is application/json, unless `headers` names
   * another type.
   */
  readonly body?: object | string | undefined;
}

export interface ControlAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body, or undefined if it is not JSON. */
  readonly json: unknown;
}

/**
 * Sends a request to the control plane. Unlike fetch, this function can also send the headers Host, Origin and
 * Sec-Fetch-Site.
 */
export function ask(origin: string, { method = 'POST', path, headers, body }: ControlRequest): Promise<ControlAnswer> {
  const { hostname, port } = new URL(origin);
  const bytes = typeof body === 'object' ? JSON.stringify(body) : body;
  const target = path ?? '/_emulator/explain';
  return new Promise((resolve, reject) => {
    const sent = request({
      host: hostname,
      port,
      method,
      path: target,
      headers: { ...(bytes === undefined ? {} : entityHeaders(bytes)), ...headers },
      agent: false,
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers, rawHeaders } = answer;
        try {
          // A test fails if the OpenAPI description does not have this response.
          witnessAt(method, target, { status, headers: pairsIn(rawHeaders), body: text });
        } catch (fault) {
          reject(fault);
        }
        resolve({ status, headers, text, json: parse(text) });
      });
    });
    sent.end(bytes);
  });
}

function pairsIn(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
}

/** Sets Content-Length. With a GET, node:http sends none, and the body would be read as the next request. */
function entityHeaders(bytes: string): Record<string, string> {
  return { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(bytes)) };
}

/** The code of the error in a response, if it has one. */
export function codeOf({ json }: ControlAnswer): string | undefined {
  return (json as { error?: { code?: string } } | undefined)?.error?.code;
}

/** The message of the error in a response, or an empty text. */
export function messageOf({ json }: ControlAnswer): string {
  return (json as { error?: { message?: string } } | undefined)?.error?.message ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
