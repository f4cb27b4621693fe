// Sends one HTTP request and reads the text of its response. Uses node:http, because fetch cannot accept a self-signed
// certificate without an additional package. Does not follow redirects, so a signature or a token never goes to another
// server.

import type { IncomingMessage, RequestOptions } from 'node:http';

export interface ExchangeOptions extends RequestOptions {
  readonly rejectUnauthorized: boolean;
  readonly body: string | Buffer | undefined;
}

/** Resolves with the head of the response. Rejects with Node's error. Loads only the protocol in use. */
export async function openExchange(url: URL, { body, ...options }: ExchangeOptions): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    request(url, options).on('response', resolve).on('error', reject).end(body);
  });
}

/** The body of a response has more bytes than the caller allows. */
export class ResponseTooLong extends Error {}

/** The body of a response. Rejects if the connection breaks, and with ResponseTooLong. */
export async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new ResponseTooLong(`the response has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The message of the innermost cause. If several addresses of a host fail, the outer error has no message. */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
