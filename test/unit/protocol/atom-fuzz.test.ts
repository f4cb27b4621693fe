import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeProperties } from '../../../src/model/properties.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { decodeEntityAtom } from '../../../src/protocol/atom-entity.ts';
import { renderEntityAtom } from '../../../src/protocol/atom-response.ts';
import type { DecodedEntity } from '../../../src/protocol/entity-json.ts';
import { everything } from '../../../src/protocol/select.ts';
import { decodeTableAtom } from '../../../src/protocol/table-body.ts';

const d = 'http://schemas.microsoft.com/ado/2007/08/dataservices';
const entryOf = (properties: string): string =>
  `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<entry xmlns:d="${d}" xmlns:m="${d}/metadata" xmlns="http://www.w3.org/2005/Atom"><title /><updated>2015-06-23T00:26:35Z</updated><author><name /></author><id />\n<content type="application/xml"><m:properties xml:space="preserve">${properties}</m:properties></content></entry>`;
const documents = [
  entryOf(
    '<d:PartitionKey m:type="Edm.String">001</d:PartitionKey><d:RowKey>a&#xD;\r\n b</d:RowKey><d:a m:type="Edm.Int32">3</d:a><d:b m:type="Edm.Int64">1234567890</d:b><d:c m:type="Edm.Double">-0.5E+20</d:c><d:e m:type="Edm.Boolean">true</d:e>',
  ),
  entryOf(
    '<d:PartitionKey /><d:RowKey></d:RowKey><d:f m:type="Edm.DateTime">2015-06-23T00:26:35.25+02:00</d:f><d:g m:type="Edm.Guid">c9da6455-213d-42c9-9a79-3e9149a57833</d:g><d:h m:type="Edm.Binary">AQID BA==</d:h><d:i m:null="true" /><d:\u00e9\u4e2d><![CDATA[<x>]]>&amp;&#x1F600;<!-- y --></d:\u00e9\u4e2d>',
  ),
  entryOf('<d:TableName m:type="Edm.String">uttable7b4616c8</d:TableName>'),
];

const tokens = fc.constantFrom(
  ...['<', '>', '&', '"', "'", '/', '=', ';', '</', '/>', '<!--', '-->', '<![CDATA[', ']]>', '<!DOCTYPE', '<?', '?>'],
  ...['<d:a>', '</d:a>', '<d:j/>', ' m:null="true"', ' m:type="Edm.Double"', ' xmlns="u"', ' xmlns:d="u"', 'xmlns:m'],
  ...['&#x0;', '&#1;', '&#xD800;', '&lt;', '&x;', '\u0000', '\ufffe', '\ufeff', '\r', '\ud800', ' ', 'NaN', '-', '9'],
);
/** A position in the document, without the bias of fast-check towards its start. */
const offset = fc.noBias(fc.integer({ min: 0, max: 9_999 })).map((part) => part / 10_000);
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: offset, token: tokens }),
  fc.record({ kind: fc.constant('remove' as const), at: offset, length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at: offset, length: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ kind: fc.constant('byte' as const), at: offset, byte: fc.integer({ min: 0, max: 255 }) }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(bytes: Buffer, change: Mutation): Buffer {
  const at = Math.floor(change.at * bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (change.kind) {
    case 'insert':
      return Buffer.concat([before, Buffer.from(change.token), after]);
    case 'remove':
      return Buffer.concat([before, after.subarray(change.length)]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, change.length), after]);
    case 'byte':
      return Buffer.concat([before, Buffer.from([change.byte]), after.subarray(1)]);
  }
}

function readOrRefuse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return undefined;
    throw error;
  }
}

/** Equality that ignores the zone with which a DateTime was sent. */
const valuesOf = ({ properties }: DecodedEntity): unknown[] =>
  [...properties].map(([name, { type, value }]) => [name, type, value]);

describe('A damaged Atom document', () => {
  it('is refused with an error of the service, or parses to an entity that reads back', () => {
    const damaged = fc
      .tuple(fc.constantFrom(...documents), fc.array(mutation, { minLength: 1, maxLength: 4 }))
      .map(([document, changes]) => changes.reduce(mutate, Buffer.from(document)));
    fc.assert(
      fc.property(damaged, (body) => {
        expect(readOrRefuse(() => decodeTableAtom(body)) ?? '').toBeTypeOf('string');
        const sent = readOrRefuse(() => decodeEntityAtom(body, 'body'));
        if (sent === undefined) return;
        const { partitionKey = '', rowKey = '' } = sent;
        const timestamp = '2015-06-23T00:11:50.5338923Z';
        const record = { partitionKey, rowKey, timestamp, properties: encodeProperties(sent.properties) };
        const terms = { updated: '2015-06-23T00:11:51Z', isGeoDeclared: false, selection: everything };
        const again = decodeEntityAtom(
          renderEntityAtom(record, { base: 'b', account: 'a', table: 't', ...terms }),
          'body',
        );
        expect([again.partitionKey, again.rowKey, valuesOf(again)]).toEqual([partitionKey, rowKey, valuesOf(sent)]);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 5_000) },
    );
  });
});
