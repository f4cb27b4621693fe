import fc from 'fast-check';
import { expect } from 'vitest';
import { encodeProperties } from '../../../src/model/properties.ts';
import { decodeEntityAtom } from '../../../src/protocol/atom-entity.ts';
import { renderEntityAtom } from '../../../src/protocol/atom-response.ts';
import type { DecodedEntity } from '../../../src/protocol/entity-json.ts';
import { everything } from '../../../src/protocol/select.ts';
import { decodeTableAtom } from '../../../src/protocol/table-body.ts';
import { entryOf } from '../../support/atom-requests.ts';
import { bytesOf, damaged, documentOf } from '../damage.ts';
import { type Outcome, readOrRefuse, target } from '../target.ts';
import { checkWrite } from '../written-entity.ts';

const documents = [
  '<d:PartitionKey m:type="Edm.String">001</d:PartitionKey><d:RowKey>a&#xD;\r\n b</d:RowKey><d:a m:type="Edm.Int32">3</d:a><d:b m:type="Edm.Int64">1234567890</d:b><d:c m:type="Edm.Double">-0.5E+20</d:c><d:e m:type="Edm.Boolean">true</d:e>',
  '<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey><d:a m:type="Edm.Int32">3</d:a><d:s>two  words</d:s><d:z m:type="Edm.Double">INF</d:z>',
  '<d:PartitionKey /><d:RowKey></d:RowKey><d:f m:type="Edm.DateTime">2015-06-23T00:26:35.25+02:00</d:f><d:g m:type="Edm.Guid">c9da6455-213d-42c9-9a79-3e9149a57833</d:g><d:h m:type="Edm.Binary">AQID BA==</d:h><d:i m:null="true" /><d:\u00e9\u4e2d><![CDATA[<x>]]>&amp;&#x1F600;<!-- y --></d:\u00e9\u4e2d>',
  '<d:TableName m:type="Edm.String">uttable7b4616c8</d:TableName>',
].map((properties) => documentOf(entryOf(properties)));

const tokens = [
  ...['<', '>', '&', '"', "'", '/', '=', ';', '</', '/>', '<!--', '-->', '<![CDATA[', ']]>', '<!DOCTYPE', '<?', '?>'],
  ...['<d:a>', '</d:a>', '<d:j/>', ' m:null="true"', ' m:type="Edm.Double"', ' xmlns="u"', ' xmlns:d="u"', 'xmlns:m'],
  ...[
    '&#x0;',
    '&#1;',
    '&#xD800;',
    '&lt;',
    '&x;',
    '\ufffe',
    '\ufeff',
    'NaN',
    '<a>'.repeat(3_000),
    '&amp;'.repeat(3_000),
  ],
];

/** Values for a comparison that ignores the zone of a DateTime. */
const valuesOf = ({ properties }: DecodedEntity): unknown[] =>
  [...properties].map(([name, { type, value }]) => [name, type, value]);

/** Checks that an entity that was read can be written, and then reads the same. */
function checkCodec(body: Buffer): void {
  expect(readOrRefuse(() => decodeTableAtom(body)) ?? '').toBeTypeOf('string');
  const sent = readOrRefuse(() => decodeEntityAtom(body, 'body'));
  if (sent === undefined) return;
  const { partitionKey = '', rowKey = '' } = sent;
  const timestamp = '2015-06-23T00:11:50.5338923Z';
  const record = { partitionKey, rowKey, timestamp, properties: encodeProperties(sent.properties) };
  const terms = { updated: '2015-06-23T00:11:51Z', isGeoDeclared: false, selection: everything };
  const again = decodeEntityAtom(renderEntityAtom(record, { base: 'b', account: 'a', table: 't', ...terms }), 'body');
  expect([again.partitionKey, again.rowKey, valuesOf(again)]).toEqual([partitionKey, rowKey, valuesOf(sent)]);
}

function check(document: string): Promise<Outcome> {
  const body = bytesOf(document);
  checkCodec(body);
  return checkWrite({ body, contentType: 'application/atom+xml' });
}

export const atom = target({
  name: 'atom',
  share: 10,
  inputs: damaged(fc.constantFrom(...documents), tokens),
  check,
  decode: (document: string) => checkCodec(bytesOf(document)),
});
