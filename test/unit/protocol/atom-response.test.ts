import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EdmValue } from '../../../src/model/edm.ts';
import type { EntityRecord } from '../../../src/model/entity.ts';
import { encodeEcho, encodeProperties, type Properties } from '../../../src/model/properties.ts';
import { parseDateTime } from '../../../src/model/ticks.ts';
import { decodeEntityAtom } from '../../../src/protocol/atom-entity.ts';
import {
  type AtomEntityOptions,
  renderEntityAtom,
  renderEntityFeedAtom,
  renderTableAtom,
  renderTableFeedAtom,
} from '../../../src/protocol/atom-response.ts';
import { everything, parseSelect } from '../../../src/protocol/select.ts';
import { edmValue, hostile, propertyName, text, units } from '../../support/arbitrary-values.ts';

const service = 'http://schemas.microsoft.com/ado/2007/08/dataservices';
const namespaces = `xmlns="http://www.w3.org/2005/Atom" xmlns:d="${service}" xmlns:m="${service}/metadata"`;
const geo = ' xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"';
const prolog = '<?xml version="1.0" encoding="utf-8"?>';
const base = 'https://demo.table.core.windows.net';
const frame: AtomEntityOptions = {
  base,
  account: 'demo',
  table: 'pets',
  selection: everything,
  updated: '2015-06-23T00:11:51Z',
  isGeoDeclared: false,
};

const pet = (custom: Properties, rowKey = '1'): EntityRecord => ({
  partitionKey: 'cat',
  rowKey,
  timestamp: '2015-06-23T00:11:50.5338923Z',
  properties: encodeProperties(custom),
});

/** Evidence: recorded (2014-02-14), with other names. */
const entryStart = `m:etag="W/&quot;datetime'2015-06-23T00%3A11%3A50.5338923Z'&quot;"><id>${base}/pets(PartitionKey='cat',RowKey='1')</id><category term="demo.pets" scheme="${service}/scheme" /><link rel="edit" title="pets" href="pets(PartitionKey='cat',RowKey='1')" /><title /><updated>2015-06-23T00:11:51Z</updated><author><name /></author><content type="application/xml"><m:properties>`;
const system =
  '<d:PartitionKey>cat</d:PartitionKey><d:RowKey>1</d:RowKey><d:Timestamp m:type="Edm.DateTime">2015-06-23T00:11:50.5338923Z</d:Timestamp>';
const entryEnd = '</m:properties></content></entry>';

/** The response for an entity with a single string. */
const stringOf = (value: string): string | undefined =>
  /<d:a.*<\/d:a>/s.exec(renderEntityAtom(pet(new Map([['a', { type: 'Edm.String', value }]])), frame).toString())?.[0];

describe('The Atom response for an entity', () => {
  it('contains every type, in the stored order', () => {
    const custom = new Map<string, EdmValue>([
      ['ratio', { type: 'Edm.Double', value: 3.1 }],
      ['whole', { type: 'Edm.Double', value: 3 }],
      ['large', { type: 'Edm.Int64', value: 9_333_111_000n }],
      ['age', { type: 'Edm.Int32', value: 39 }],
      ['sex', { type: 'Edm.String', value: 'male' }],
      ['Birthday', { type: 'Edm.DateTime', value: parseDateTime('1973-10-04T00:00:00Z') ?? 0n }],
      ['married', { type: 'Edm.Boolean', value: true }],
      ['clsid', { type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' }],
      ['binary', { type: 'Edm.Binary', value: Buffer.from([1, 2, 3, 4]) }],
      ['empty', { type: 'Edm.String', value: '' }],
      ['\u554a\u9f44', { type: 'Edm.String', value: '\ua015' }],
    ]);
    expect(renderEntityAtom(pet(custom), frame).toString()).toBe(
      `${prolog}<entry xml:base="${base}/" ${namespaces} ${entryStart}${system}` +
        '<d:ratio m:type="Edm.Double">3.1</d:ratio><d:whole m:type="Edm.Double">3</d:whole>' +
        '<d:large m:type="Edm.Int64">9333111000</d:large><d:age m:type="Edm.Int32">39</d:age><d:sex>male</d:sex>' +
        '<d:Birthday m:type="Edm.DateTime">1973-10-04T00:00:00Z</d:Birthday>' +
        '<d:married m:type="Edm.Boolean">true</d:married>' +
        '<d:clsid m:type="Edm.Guid">c9da6455-213d-42c9-9a79-3e9149a57833</d:clsid>' +
        '<d:binary m:type="Edm.Binary">AQIDBA==</d:binary><d:empty></d:empty>' +
        `<d:\u554a\u9f44>\ua015</d:\u554a\u9f44>${entryEnd}`,
    );
  });

  it('declares the geographic namespaces on request', () => {
    expect(renderEntityAtom(pet(new Map()), { ...frame, isGeoDeclared: true }).toString()).toBe(
      `${prolog}<entry xml:base="${base}/" ${namespaces}${geo} ${entryStart}${system}${entryEnd}`,
    );
  });

  it('encodes keys in addresses and doubles their apostrophes', () => {
    const body = renderEntityAtom({ ...pet(new Map(), "o'n & <\u00e9>"), partitionKey: '' }, frame).toString();
    const path = "pets(PartitionKey='',RowKey='o''n%20%26%20%3C%C3%A9%3E')";
    expect(body).toContain(`<id>${base}/${path}</id>`);
    expect(body).toContain(`href="${path}" />`);
    expect(body).toContain("<d:PartitionKey></d:PartitionKey><d:RowKey>o'n &amp; &lt;\u00e9&gt;</d:RowKey>");
  });

  it.each([
    ['a', '<d:a>a</d:a>'],
    [' a', '<d:a xml:space="preserve"> a</d:a>'],
    ['a\n', '<d:a xml:space="preserve">a\n</d:a>'],
    ['   ', '<d:a xml:space="preserve">   </d:a>'],
    ['\u00a0a', '<d:a xml:space="preserve">\u00a0a</d:a>'],
    ['a b', '<d:a>a b</d:a>'],
    ['a\r\n\tb', '<d:a>a&#xD;\n\tb</d:a>'],
    ['\u0001\u001f', '<d:a>&#x1;&#x1F;</d:a>'],
    ['\ufffe', '<d:a>&#xFFFE;</d:a>'],
    ['\ud800', '<d:a>\ufffd</d:a>'],
    ['\u{1f600}', '<d:a>\u{1f600}</d:a>'],
    [`<&>"'`, `<d:a>&lt;&amp;&gt;"'</d:a>`],
  ])('writes the string %j', (value, element) => {
    expect(stringOf(value)).toBe(element);
  });

  it('contains the selected properties in ordinal order, and null for missing ones', () => {
    const record = pet(
      new Map<string, EdmValue>([
        ['b', { type: 'Edm.Int32', value: 1 }],
        ['B', { type: 'Edm.String', value: 'x' }],
      ]),
    );
    const selection = parseSelect('b,missing,B,RowKey,odata.etag');
    expect(renderEntityAtom(record, { ...frame, selection }).toString()).toBe(
      `${prolog}<entry xml:base="${base}/" ${namespaces} ${entryStart}<d:RowKey>1</d:RowKey><d:B>x</d:B><d:b m:type="Edm.Int32">1</d:b><d:missing m:null="true" />${entryEnd}`,
    );
  });

  it('repeats a DateTime with an offset as it was sent, for an insert', () => {
    const { properties } = decodeEntityAtom(
      Buffer.from(
        `<entry ${namespaces}><content><m:properties><d:a m:type="Edm.DateTime">2020-01-02T03:04:05+00:00</d:a></m:properties></content></entry>`,
      ),
      'body',
    );
    const stored = pet(properties);
    const echo = { ...stored, properties: encodeEcho(properties, stored.properties) };
    expect(renderEntityAtom(stored, frame).toString()).toContain('>2020-01-02T03:04:05Z</d:a>');
    expect(renderEntityAtom(echo, frame).toString()).toContain('>2020-01-02T03:04:05+00:00</d:a>');
  });
});

describe('The Atom response for many entities', () => {
  const start = `${prolog}<feed xml:base="${base}/" ${namespaces}><id>${base}/pets</id><title type="text">pets</title><updated>2015-06-23T00:11:51Z</updated>`;
  const link = '<link rel="self" title="pets" href="pets" />';
  const entry = `<entry ${entryStart}${system}${entryEnd}`;

  it('is a feed of entries without namespaces', () => {
    const { body, count } = renderEntityFeedAtom([pet(new Map()), pet(new Map())], frame, 1e6);
    expect(body.toString()).toBe(`${start}${link}${entry}${entry}</feed>`);
    expect(count).toBe(2);
  });

  it('has an author only if it is empty', () => {
    const { body, count } = renderEntityFeedAtom([], frame, 1e6);
    expect(body.toString()).toBe(`${start}<author><name /></author>${link}</feed>`);
    expect(count).toBe(0);
  });

  it('contains as many entities as its limit of bytes allows, and at least one', () => {
    const entities = Array.from({ length: 5 }, (_, n) => pet(new Map(), `\u00e9${n}`));
    const sizeOf = (count: number) => renderEntityFeedAtom(entities.slice(0, count), frame, 1e6).body.length;
    for (const count of [1, 2, 5]) {
      expect(renderEntityFeedAtom(entities, frame, sizeOf(count))).toMatchObject({ count });
      expect(renderEntityFeedAtom(entities, frame, sizeOf(count)).body).toHaveLength(sizeOf(count));
      expect(renderEntityFeedAtom(entities, frame, sizeOf(count) - 1).count).toBe(Math.max(1, count - 1));
    }
  });
});

describe('The Atom response for tables', () => {
  const tableFrame = { base, account: 'demo', updated: '2015-06-23T00:11:50Z', isGeoDeclared: false };
  const content = (name: string, path: string) =>
    `<id>${base}/${path}</id><category term="demo.Tables" scheme="${service}/scheme" /><link rel="edit" title="Tables" href="${path}" /><title /><updated>2015-06-23T00:11:50Z</updated><author><name /></author><content type="application/xml"><m:properties><d:TableName>${name}</d:TableName></m:properties></content></entry>`;

  it('is an entry without an ETag', () => {
    expect(renderTableAtom('pets', tableFrame).toString()).toBe(
      `${prolog}<entry xml:base="${base}/" ${namespaces}>${content('pets', "Tables('pets')")}`,
    );
  });

  it('encodes the dollar sign of a system table in its address', () => {
    expect(renderTableAtom('$MetricsX', { ...tableFrame, isGeoDeclared: true }).toString()).toBe(
      `${prolog}<entry xml:base="${base}/" ${namespaces}${geo}>${content('$MetricsX', "Tables('%24MetricsX')")}`,
    );
  });

  it('is a feed for many tables, with an author only if it is empty', () => {
    const start = `${prolog}<feed xml:base="${base}/" ${namespaces}><id>${base}/Tables</id><title type="text">Tables</title><updated>2015-06-23T00:11:50Z</updated>`;
    const link = '<link rel="self" title="Tables" href="Tables" />';
    expect(renderTableFeedAtom(['aaa', 'bbb'], tableFrame).toString()).toBe(
      `${start}${link}<entry>${content('aaa', "Tables('aaa')")}<entry>${content('bbb', "Tables('bbb')")}</feed>`,
    );
    expect(renderTableFeedAtom([], tableFrame).toString()).toBe(`${start}<author><name /></author>${link}</feed>`);
  });
});

describe('An entity in Atom', () => {
  /** Replaces the characters that UTF-8 or XML cannot express. */
  const expressible = (value: string): string => Buffer.from(value.replaceAll('\0', '\u0001')).toString();
  const blanks = fc.string({
    unit: fc.constantFrom(
      ' ',
      '\t',
      '\r',
      '\n',
      '\u0001',
      '\u001f',
      'a',
      '&',
      '<',
      ']]>',
      '\u0085',
      '\u00a0',
      '\ufffe',
    ),
    maxLength: 6,
  });
  const anyText = fc.oneof(units, hostile, text, blanks).map(expressible);
  const value = fc.oneof(
    anyText.map((string): EdmValue => ({ type: 'Edm.String', value: string })),
    edmValue.filter(({ type }) => type !== 'Edm.String'),
  );
  const custom = fc
    .uniqueArray(fc.tuple(propertyName, value), { maxLength: 8, selector: ([name]) => name })
    .map((entries) => new Map(entries));

  it('reads back as it was written', () => {
    fc.assert(
      fc.property(custom, anyText, anyText, (properties, partitionKey, rowKey) => {
        const record = { ...pet(properties), partitionKey, rowKey };
        const body = renderEntityAtom(record, frame);
        expect(decodeEntityAtom(body, 'body')).toEqual({ partitionKey, rowKey, properties });
        expect([...decodeEntityAtom(body, 'body').properties.keys()]).toEqual([...properties.keys()]);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 400) },
    );
  });
});
