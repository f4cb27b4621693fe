// Renders a request and its response as an entry of an HTTP archive: one line of JSON, without secrets. This code runs
// for every request, so it reuses the text of a header if the header has the same value as in the previous request.

import { isUtf8 } from 'node:buffer';
import type { Accounts } from '../auth/accounts.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { createSecretRemover } from './remove-secrets.ts';

/** A response as it is handed to the socket; undefined if the connection was closed without one. */
export interface SentResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

export type EntryRenderer = (record: RecordedRequest, response: SentResponse | undefined) => string;

export type RecordedRequest = Pick<
  RequestRecord,
  'method' | 'url' | 'headers' | 'body' | 'fault' | 'startedAtMs' | 'account'
>;

/** Keys that an account gets later are found at its next request. */
export function createEntryRenderer(accounts: Pick<Accounts, 'names' | 'keysOf'>): EntryRenderer {
  const remover = createSecretRemover([]);
  const knownKeys = new WeakSet<object>();
  const sent = new HeaderTexts((name) => remover.header(name));
  const answered = new HeaderTexts((name) => (ownValues.test(name) ? asItIs : remover.header(name)));

  const learnKeysOf = (account: string): void => {
    const keys = accounts.keysOf(account);
    if (keys === undefined || knownKeys.has(keys)) return;
    knownKeys.add(keys);
    remover.addKeys(keys.map((key) => key.export().toString('base64')));
    sent.forget();
    answered.forget();
  };
  /** The JSON members for a body. */
  const bodyText = (body: string | Buffer, mimeType: string): string => {
    const start = `"mimeType":${JSON.stringify(mimeType)},"text":`;
    if (typeof body === 'string') return start + JSON.stringify(remover.text(body));
    if (isUtf8(body)) return start + JSON.stringify(remover.text(body.toString('utf8')));
    // Bytes that are not UTF-8 are kept in base64.
    const base64 = Buffer.from(remover.text(body.toString('latin1')), 'latin1').toString('base64');
    return `${start}"${base64}","encoding":"base64"`;
  };
  const requestText = ({ method, url, headers, body }: RecordedRequest): string => {
    const host = typeof headers['host'] === 'string' ? headers['host'] : 'localhost';
    const absolute = remover.text(url.startsWith('/') ? `http://${host}${url}` : url);
    let fields = '';
    for (const name of Object.keys(headers)) {
      const value = headers[name] ?? [];
      for (const one of typeof value === 'string' ? [value] : value)
        fields += `${fields === '' ? '' : ','}${sent.textOf(name, one)}`;
    }
    const size = body?.length ?? 0;
    const data = body && size > 0 ? `"postData":{${bodyText(body, typeOf(headers))}},` : '';
    return `{"method":${JSON.stringify(method)},"url":${JSON.stringify(absolute)},"httpVersion":"HTTP/1.1","cookies":[],"headers":[${fields}],"queryString":[],${data}"headersSize":-1,"bodySize":${size}}`;
  };
  const responseText = ({ status, headers, body = '' }: SentResponse): string => {
    let [fields, mimeType] = ['', ''];
    for (const [name, value] of headers) {
      fields += `${fields === '' ? '' : ','}${answered.textOf(name, value)}`;
      if (name.length === contentType.length && name.toLowerCase() === contentType) mimeType = value;
    }
    const size = Buffer.byteLength(body);
    return `{"status":${status},"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[${fields}],"content":{"size":${size},${bodyText(body, mimeType)}},"redirectURL":"","headersSize":-1,"bodySize":${size}}`;
  };
  let [lastMs, lastDate] = [Number.NaN, ''];
  for (const name of accounts.names()) learnKeysOf(name);
  return (record, response = noResponse) => {
    const { startedAtMs, fault, account } = record;
    learnKeysOf(account);
    if (startedAtMs !== lastMs) [lastMs, lastDate] = [startedAtMs, new Date(startedAtMs).toISOString()];
    const rule = fault?.isOutcome ? `,"_fault":${JSON.stringify(fault.rule)}` : '';
    return `{"startedDateTime":"${lastDate}","time":0,"request":${requestText(record)},"response":${responseText(response)},"cache":{},"timings":{"send":0,"wait":0,"receive":0}${rule}}`;
  };
}

/** Headers whose values the emulator makes itself, from nothing that a client sent. */
const ownValues = /^(?:etag|x-ms-request-id|date|server|content-length)$/;
const asItIs = (value: string): string => value;

/** Limit of kept headers: clients may send headers of any name. */
const keptHeadersMax = 200;

class HeaderTexts {
  readonly #removerOf: (name: string) => (value: string) => string;
  readonly #kept = new Map<string, { start: string; remove: (value: string) => string; value: string; text: string }>();

  constructor(removerOf: (name: string) => (value: string) => string) {
    this.#removerOf = removerOf;
  }

  textOf(name: string, value: string): string {
    const known = this.#kept.get(name);
    if (known?.value === value) return known.text;
    const { start, remove } = known ?? {
      start: `{"name":${JSON.stringify(name)},"value":`,
      remove: this.#removerOf(name.toLowerCase()),
    };
    const text = `${start}${JSON.stringify(remove(value))}}`;
    if (known) [known.value, known.text] = [value, text];
    else if (this.#kept.size < keptHeadersMax) this.#kept.set(name, { start, remove, value, text });
    return text;
  }

  forget(): void {
    this.#kept.clear();
  }
}

const contentType = 'content-type';
const noResponse: SentResponse = { status: 0, headers: [] };

function typeOf({ 'content-type': type }: RequestRecord['headers']): string {
  return (typeof type === 'string' ? type : type?.[0]) ?? '';
}
