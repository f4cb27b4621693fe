// An entity group transaction of upserts as multipart text, and the result in its response.

import type { EntityKey } from '../../model/entity.ts';
import { refusalOf } from '../table-client.ts';
import type { EndpointResponse } from '../table-exchange.ts';

/** One entity to insert or replace. */
export interface Upsert {
  readonly key: EntityKey;
  /** The path of the entity below the endpoint, percent-encoded. */
  readonly path: string;
  /** JSON in ASCII. */
  readonly body: string;
}

/**
 * The boundaries need not be random. The body of an upsert is ASCII without line ends, so no line in it begins with a
 * boundary.
 */
const batch = 'batch_copy';
const changeset = 'changeset_copy';

export const transactionType = `multipart/mixed; boundary=${batch}`;

/** `url` is the address of the endpoint. */
export function renderTransaction(url: string, upserts: readonly Upsert[]): string {
  const parts = upserts.map(
    ({ path, body }) =>
      `--${changeset}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n` +
      `PUT ${url}/${path} HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json;odata=minimalmetadata\r\n` +
      `DataServiceVersion: 3.0\r\nMaxDataServiceVersion: 3.0\r\n\r\n${body}\r\n`,
  );
  return (
    `--${batch}\r\nContent-Type: multipart/mixed; boundary=${changeset}\r\n\r\n` +
    `${parts.join('')}--${changeset}--\r\n--${batch}--\r\n`
  );
}

/**
 * Returns an upper bound for the size of an upsert in a transaction, in bytes. The size includes the path, the body,
 * the endpoint's address and the lines around them.
 */
export const upsertBytes = ({ path, body }: Upsert, url: string): number =>
  path.length + body.length + url.length + partBytesMax;
const partBytesMax = 320;

const statusLine = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r?\n/gm;

/** The failure in the response to a transaction of `operations` operations; undefined if all were carried out. */
export function transactionRefusal({ headers, body }: EndpointResponse, operations: number): Error | undefined {
  const parts = [...body.matchAll(statusLine)];
  const statuses = parts.map(([, status]) => Number(status));
  const failed = statuses.findIndex((status) => status < 200 || status > 299);
  if (failed === -1) {
    if (statuses.length === operations) return undefined;
    // The answer does not say what was written. With status 500, the request is repeated.
    return refusalOf({ status: 500, headers, body: '' });
  }
  const part = body.slice(parts[failed]?.index, parts[failed + 1]?.index);
  const [, content = ''] = /\r?\n\r?\n([\s\S]*)/.exec(part) ?? [];
  const text = content.replace(/\r?\n--changesetresponse_[\s\S]*$/, '').trim();
  return refusalOf({ status: statuses[failed] ?? 0, headers: { ...headers, ...headersOf(part) }, body: text });
}

/** The headers in the part of an operation: they may say how long to wait, and an emulator's reasons. */
function headersOf(part: string): Record<string, string> {
  const [head = ''] = part.split(/\r?\n\r?\n/, 1);
  return Object.fromEntries(
    [...head.matchAll(/^(retry-after|x-emulator-why):[ \t]*([^\r\n]*)/gim)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  );
}
