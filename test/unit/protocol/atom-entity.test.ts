import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/model/error-catalogue.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { decodeEntityAtom } from '../../../src/protocol/atom-entity.ts';
import { type DecodedEntity, decodeEntityJson } from '../../../src/protocol/entity-json.ts';
import { decodeTableAtom } from '../../../src/protocol/table-body.ts';

const d = 'http://schemas.microsoft.com/ado/2007/08/dataservices';
const m = `${d}/metadata`;
const namespaces = `xmlns="http://www.w3.org/2005/Atom" xmlns:d="${d}" xmlns:m="${m}"`;
const entryOf = (content: string): string => `<entry ${namespaces}>${content}</entry>`;
const withProperties = (properties: string): string =>
  entryOf(`<content type="application/xml"><m:properties>${properties}</m:properties></content>`);

const decode = (xml: string): DecodedEntity => decodeEntityAtom(Buffer.from(xml), 'body');
const valuesOf = ({ properties }: DecodedEntity): Record<string, unknown> =>
  Object.fromEntries([...properties].map(([name, { value }]) => [name, value]));

function refusal(act: () => unknown): Pick<ServiceError, 'code' | 'stage' | 'message'> | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code, stage: error.stage, message: error.message };
  }
}

/** An entry that a client sent in 2015. Evidence: recorded. */
const recordedEntity = `<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<entry xmlns:d="${d}" xmlns:m="${m}" xmlns="http://www.w3.org/2005/Atom" >
<title /><updated>2015-06-23T00:11:07.787307+00:00</updated><author><name /></author><id />
<content type="application/xml">
    <m:properties xml:space="preserve"><d:age m:type="Edm.Int32">39</d:age><d:ratio m:type="Edm.Double">3.1</d:ratio><d:married m:type="Edm.Boolean">true</d:married><d:optional m:null="true" /><d:sex m:type="Edm.String">male</d:sex><d:RowKey m:type="Edm.String">1</d:RowKey><d:PartitionKey m:type="Edm.String">MyPartition</d:PartitionKey><d:large m:type="Edm.Int64">9333111000</d:large><d:Birthday m:type="Edm.DateTime">1973-10-04T00:00:00Z</d:Birthday><d:clsid m:type="Edm.Guid">c9da6455-213d-42c9-9a79-3e9149a57833</d:clsid><d:\u554a\u9f44 m:type="Edm.String">\ua015</d:\u554a\u9f44><d:blank m:type="Edm.String">   </d:blank></m:properties></content></entry>`;

describe('The Atom entry of an entity', () => {
  it('is parsed to the same entity as its JSON', () => {
    const json = JSON.stringify({
      age: 39,
      ratio: 3.1,
      married: true,
      optional: null,
      sex: 'male',
      RowKey: '1',
      PartitionKey: 'MyPartition',
      'large@odata.type': 'Edm.Int64',
      large: '9333111000',
      'Birthday@odata.type': 'Edm.DateTime',
      Birthday: '1973-10-04T00:00:00Z',
      'clsid@odata.type': 'Edm.Guid',
      clsid: 'c9da6455-213d-42c9-9a79-3e9149a57833',
      '\u554a\u9f44': '\ua015',
      blank: '   ',
    });
    expect(decode(recordedEntity)).toEqual(decodeEntityJson(Buffer.from(json), 'body'));
  });

  it('is parsed with any prefixes', () => {
    const xml = `<a:entry xmlns:a="http://www.w3.org/2005/Atom"><a:content><properties xmlns="${m}"><RowKey xmlns="${d}">r</RowKey><n xmlns="${d}" xmlns:x="${m}" x:type="Edm.Int32" type="Edm.Guid">5</n></properties></a:content></a:entry>`;
    expect(decode(xml)).toEqual({ rowKey: 'r', properties: new Map([['n', { type: 'Edm.Int32', value: 5 }]]) });
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['keeps white space', '<d:a> b\n</d:a>', { a: ' b\n' }],
    ['keeps text of white space only', '<d:a>  </d:a>', { a: '  ' }],
    ['keeps white space with xml:space', '<d:a xml:space="preserve"> b</d:a>', { a: ' b' }],
    ['trims values that are not strings', '<d:a m:type="Edm.Int32">\n 5 </d:a>', { a: 5 }],
    ['ignores white space between elements', '\n <d:a>b</d:a>\n ', { a: 'b' }],
    ['accepts two forms of an empty text', '<d:a /><d:b></d:b>', { a: '', b: '' }],
    ['takes CDATA', '<d:a>b<![CDATA[<c>]]>d</d:a>', { a: 'b<c>d' }],
    ['skips comments and instructions', '<d:a>b<!-- c --><?d e?>f</d:a>', { a: 'bf' }],
    ['reads line ends as line feeds', '<d:a>b\r\nc\rd</d:a>', { a: 'b\nc\nd' }],
    ['keeps a carriage return by reference', '<d:a>b&#xD;\nc</d:a>', { a: 'b\r\nc' }],
    ['keeps control characters by reference', '<d:a>&#x1;&#31;</d:a>', { a: '\u0001\u001f' }],
    ['reads escapes', '<d:a>&amp;&lt;&gt;&quot;&apos;</d:a>', { a: '&<>"\'' }],
    ['keeps the sign of a zero', '<d:a m:type="Edm.Double">-0</d:a>', { a: -0 }],
    ['reads 1 as true', '<d:a m:type="Edm.Boolean">1</d:a>', { a: true }],
    ['drops null', '<d:a m:null="true" /><d:b>c</d:b>', { b: 'c' }],
    ['drops null of a type', '<d:a m:type="Edm.Binary" m:null="true" />', {}],
    ['drops null with content', '<d:a m:type="Edm.Int32" m:null="true">x<d:b/></d:a>', {}],
    ['reads null as false if it says so', '<d:a m:null="false">b</d:a>', { a: 'b' }],
    ['ignores null in no namespace', '<d:a null="true">b</d:a>', { a: 'b' }],
    ['ignores unknown attributes', '<d:a b="c" m:d="e">f</d:a>', { a: 'f' }],
    ['ignores foreign namespaces', '<x:a xmlns:x="u">b</x:a><a>c</a><d:a>d</d:a>', { a: 'd' }],
    ['ignores a Timestamp', '<d:Timestamp m:type="Edm.Nothing">x<d:b/></d:Timestamp>', {}],
    ['distinguishes names by case', '<d:a>b</d:a><d:A>c</d:A>', { a: 'b', A: 'c' }],
    ['leaves names to be judged later', '<d:a-b>c</d:a-b><d:a.b>d</d:a.b>', { 'a-b': 'c', 'a.b': 'd' }],
  ])('%s', (_, properties, values) => {
    expect(valuesOf(decode(withProperties(properties)))).toEqual(values);
  });

  it('contains the keys, but no key that is null', () => {
    expect(decode(withProperties('<d:PartitionKey m:type="Edm.String"> p</d:PartitionKey><d:RowKey/>'))).toEqual({
      partitionKey: ' p',
      rowKey: '',
      properties: new Map(),
    });
    expect(decode(withProperties('<d:PartitionKey m:null="true"/><d:RowKey>r</d:RowKey>'))).toEqual({
      rowKey: 'r',
      properties: new Map(),
    });
  });

  it.each([
    ['no content', entryOf('')],
    ['empty content', entryOf('<content/>')],
    ['an identity, a category and links', entryOf('<id>https://a/b</id><category term="c"/><link/><content/>')],
    ['properties of other namespaces', entryOf('<properties><d:a>b</d:a></properties>')],
    ['content of other namespaces', entryOf('<m:content><m:properties><d:a>b</d:a></m:properties></m:content>')],
  ])('may have %s', (_, xml) => {
    expect(decode(xml)).toEqual({ properties: new Map() });
  });

  it('may have its properties directly below the entry', () => {
    expect(valuesOf(decode(entryOf('<m:properties><d:a>b</d:a></m:properties>')))).toEqual({ a: 'b' });
  });

  it.each<[string, string, ErrorCode]>([
    ['nothing', '', 'InvalidInput'],
    ['JSON', '{"PartitionKey":"p"}', 'InvalidInput'],
    ['malformed XML', '<entry>', 'InvalidInput'],
    ['an entry of no namespace', '<entry/>', 'InvalidInput'],
    ['a feed', `<feed ${namespaces}/>`, 'InvalidInput'],
    ['a document type', `<!DOCTYPE entry>${withProperties('')}`, 'InvalidInput'],
    ['an entity declaration', `<!DOCTYPE entry [<!ENTITY a "b">]>${withProperties('<d:a>&a;</d:a>')}`, 'InvalidInput'],
    ['an element inside a value', withProperties('<d:a>b<d:c/></d:a>'), 'InvalidInput'],
    ['an element inside a key', withProperties('<d:RowKey>b<c/></d:RowKey>'), 'InvalidInput'],
    ['a value that its type does not have', withProperties('<d:a m:type="Edm.Int32">b</d:a>'), 'InvalidInput'],
    ['an unknown type', withProperties('<d:a m:type="Edm.Decimal">1</d:a>'), 'InvalidInput'],
    ['null of an unknown type', withProperties('<d:a m:type="Edm.Decimal" m:null="true"/>'), 'InvalidInput'],
    ['neither null nor not', withProperties('<d:a m:null="perhaps"/>'), 'InvalidInput'],
    ['a key that is not a string', withProperties('<d:RowKey m:type="Edm.Int32">1</d:RowKey>'), 'InvalidInput'],
    ['U+0000', withProperties('<d:a>&#x0;</d:a>'), 'InvalidInput'],
    ['half a surrogate pair', withProperties('<d:a>&#xD800;</d:a>'), 'InvalidInput'],
    ['a property given twice', withProperties('<d:a>b</d:a><d:a m:null="true"/>'), 'DuplicatePropertiesSpecified'],
    ['a key given twice', withProperties('<d:RowKey/><d:RowKey/>'), 'DuplicatePropertiesSpecified'],
  ])('is refused for %s', (_, xml, code) => {
    expect(refusal(() => decode(xml))).toMatchObject({ code, stage: 'parse' });
  });

  it('is refused with the general text', () => {
    expect(refusal(() => decode('<'))?.message).toBe('One of the request inputs is not valid.');
  });
});

describe('The Atom entry of a table', () => {
  const table = (properties: string): string => decodeTableAtom(Buffer.from(withProperties(properties)));

  it('contains the name, which is not checked', () => {
    expect(table('<d:TableName m:type="Edm.String">uttable7b4616c8</d:TableName>')).toBe('uttable7b4616c8');
    expect(table('<d:Other>x</d:Other><d:TableName> \u554a</d:TableName>')).toBe(' \u554a');
  });

  it.each<[string, string, ErrorCode]>([
    ['no name', '', 'PropertiesNeedValue'],
    ['null', '<d:TableName m:null="true"/>', 'PropertiesNeedValue'],
    ['a name that is not a string', '<d:TableName m:type="Edm.Int32">5</d:TableName>', 'InvalidInput'],
    ['two names', '<d:TableName>a</d:TableName><d:TableName>b</d:TableName>', 'DuplicatePropertiesSpecified'],
  ])('is refused for %s', (_, properties, code) => {
    expect(refusal(() => table(properties))?.code).toBe(code);
  });
});
