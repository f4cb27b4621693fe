// Entries in the form in which Atom clients send them, and functions that read responses.

import { expect } from 'vitest';
import type { WireAnswer, WireHeaders } from './table-client.ts';

export const atomVersion = '2015-07-08';
export const entryType = 'application/atom+xml;type=entry;charset=utf-8';
export const feedType = 'application/atom+xml;type=feed;charset=utf-8';

/** The headers that an Atom client sends with every request. */
export const atomHeaders = {
  'x-ms-version': atomVersion,
  Accept: 'application/atom+xml,application/xml',
  'Content-Type': 'application/atom+xml;type=entry',
} as const satisfies WireHeaders;

/** The headers of a request without a body. */
export const atomReading = { 'x-ms-version': atomVersion, Accept: 'application/atom+xml,application/xml' } as const;

export const namespaces =
  'xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" ' +
  'xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"';
export const answerNamespaces = `${namespaces} xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"`;
export const declaration = '<?xml version="1.0" encoding="utf-8"?>';

/** A document with these properties, which are given as XML. */
export function entryOf(properties: string): string {
  return (
    `<?xml version="1.0" encoding="utf-8" standalone="yes"?><entry ${namespaces}><title /><updated>2015-03-02T08:15:29Z</updated>` +
    `<author><name /></author><id /><content type="application/xml"><m:properties>${properties}</m:properties></content></entry>`
  );
}

export function keysOf(rowKey: string, partitionKey = 'p'): string {
  return `<d:PartitionKey>${partitionKey}</d:PartitionKey><d:RowKey>${rowKey}</d:RowKey>`;
}

/** For every entry in a response, the text between `<m:properties>` and its end, without Timestamp. */
export function propertiesIn({ body }: Pick<WireAnswer, 'body'>): string[] {
  const found = [...body.matchAll(/<m:properties>(.*?)<\/m:properties>/gs)].map(([, inner = '']) => inner);
  return found.map((inner) => inner.replace(/<d:Timestamp m:type="Edm.DateTime">[^<]+<\/d:Timestamp>/, ''));
}

/** Checks the form of the time at which a response was made, and removes that time. */
export function withoutUpdated(body: string): string {
  expect(body).toMatch(/<updated>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ<\/updated>/);
  return body.replace(/<updated>[^<]*<\/updated>/g, '<updated />');
}
