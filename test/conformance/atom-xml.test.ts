// XML that is accepted as an entry, and XML that is refused.

import { describe, expect, it } from 'vitest';
import { atomHeaders, atomReading, entryOf, keysOf, namespaces, propertiesIn } from '../support/atom-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
const xml = { contentType: 'application/xml;charset=utf-8' };
const unreadable = refusal('InvalidInput', { stage: 'reading' });
let rows = 0;

const post = (body: string | Buffer): Promise<WireAnswer> =>
  service.send({ method: 'POST', path: '/pets', headers: atomHeaders, body });

/** Inserts the property v, written like this, and reads it: as a JSON value, and as an element in Atom. */
async function stored(written: string): Promise<{ json: unknown; atom: string }> {
  const rowKey = `r${rows++}`;
  const answer = await post(entryOf(keysOf(rowKey) + written));
  expect(answer.status, answer.body).toBe(201);
  const path = entityPath('pets', 'p', rowKey);
  const { body } = await service.get(path, { Accept: 'application/json;odata=nometadata' });
  const { v } = JSON.parse(body) as { v?: unknown };
  return { json: v, atom: propertiesIn(await service.get(path, atomReading))[0]!.replace(keysOf(rowKey), '') };
}

describe('The text of a property', () => {
  it.each([
    ['white space around it', '<d:v> a b\n</d:v>', ' a b\n', '<d:v xml:space="preserve"> a b\n</d:v>'],
    ['white space alone', '<d:v>  </d:v>', '  ', '<d:v xml:space="preserve">  </d:v>'],
    ['white space that is marked', '<d:v xml:space="preserve">\t</d:v>', '\t', '<d:v xml:space="preserve">\t</d:v>'],
    ['CDATA', '<d:v>a<![CDATA[<b>&amp;]]>c</d:v>', 'a<b>&amp;c', '<d:v>a&lt;b&gt;&amp;amp;c</d:v>'],
    ['a comment', '<d:v>a<!-- no -->b</d:v>', 'ab', '<d:v>ab</d:v>'],
    ['an instruction', '<d:v>a<?no thing?>b</d:v>', 'ab', '<d:v>ab</d:v>'],
    ['the five names', '<d:v>&amp;&lt;&gt;&quot;&apos;</d:v>', `&<>"'`, `<d:v>&amp;&lt;&gt;"'</d:v>`],
    ['CR and LF', '<d:v>a\r\nb\rc</d:v>', 'a\nb\nc', '<d:v>a\nb\nc</d:v>'],
    ['CR by its number', '<d:v>a&#xD;b</d:v>', 'a\rb', '<d:v>a&#xD;b</d:v>'],
    ['a control character by its number', '<d:v>a&#x1;&#31;b</d:v>', 'a\u0001\u001fb', '<d:v>a&#x1;&#x1F;b</d:v>'],
    ['letters by their numbers', '<d:v>&#233;&#x1F600;</d:v>', '\u00e9\u{1f600}', '<d:v>\u00e9\u{1f600}</d:v>'],
    ['letters beyond ASCII', '<d:v>\u4e2d\u{1f600}</d:v>', '\u4e2d\u{1f600}', '<d:v>\u4e2d\u{1f600}</d:v>'],
    ['nothing', '<d:v/>', '', '<d:v></d:v>'],
  ])('may have %s', async (_, written, json, atom) => {
    expect(await stored(written)).toEqual({ json, atom });
  });

  it('that XML cannot contain is written as character references, or replaced', async () => {
    await service.insert('pets', '{"PartitionKey":"p","RowKey":"odd","v":"a\\u0000\\u0001\\uffff\\ud800b"}');
    const [properties] = propertiesIn(await service.get(entityPath('pets', 'p', 'odd'), atomReading));
    expect(properties).toBe(`${keysOf('odd')}<d:v>a&#x0;&#x1;&#xFFFF;\ufffdb</d:v>`);
  });
});

describe('An entry may', () => {
  const properties = (rowKey: string): string => `${keysOf(rowKey)}<d:v m:type="Edm.Int32">1</d:v>`;

  it.each([
    ['begin with a byte order mark', (text: string) => `\ufeff${text}`],
    ['have no declaration', (text: string) => text.replace(/^<\?xml.*?\?>/, '')],
    ['be written over many lines', (text: string) => text.replaceAll('><', '>\r\n  <')],
    ['be in single quotes', (text: string) => text.replace(/="([^"]*)"/g, "='$1'")],
    ['have other prefixes', (text: string) => text.replace(/(<\/?|:)d:/g, '$1x:').replace('xmlns:d=', 'xmlns:x=')],
    [
      'declare namespaces on inner elements',
      (text: string) =>
        text.replace(
          /<d:v m:type="Edm.Int32">1<\/d:v>/,
          '<v xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:y="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" y:type="Edm.Int32">1</v>',
        ),
    ],
    [
      'have a prefix for Atom',
      (text: string) =>
        text
          .replace('xmlns="http://www.w3.org/2005/Atom"', 'xmlns:a="http://www.w3.org/2005/Atom"')
          .replace(/<(\/?)(entry|title|updated|author|name|id|content)\b/g, '<$1a:$2'),
    ],
    [
      'have properties outside its content',
      (text: string) =>
        text.replace('<content type="application/xml">', '').replace('</content>', '<content type="image/png" />'),
    ],
    [
      'hold more than is read',
      (text: string) =>
        text.replace(
          '<title />',
          '<title>t</title><link rel="edit" href="x" /><category term="a.b" /><unknown><d:v>9</d:v></unknown>',
        ),
    ],
    [
      'contain properties of another namespace',
      (text: string) => text.replace('<m:properties>', '<m:properties><o:v xmlns:o="urn:other">9</o:v>'),
    ],
    [
      'contain a Timestamp, which is ignored',
      (text: string) =>
        text.replace('<m:properties>', '<m:properties><d:Timestamp m:type="Edm.Nonsense">never</d:Timestamp>'),
    ],
    ['carry an ETag, which is ignored', (text: string) => text.replace('<entry ', '<entry m:etag="W/&quot;x&quot;" ')],
    ['be followed by white space and comments', (text: string) => `${text}\n<!-- the end -->\n`],
  ])('%s', async (_, written) => {
    const rowKey = `entry${rows++}`;
    const answer = await post(written(entryOf(properties(rowKey))));
    expect(answer.status, answer.body).toBe(201);
    expect(propertiesIn(answer)).toEqual([properties(rowKey)]);
  });
});

describe('XML is refused, 400 InvalidInput:', () => {
  const deep = (depth: number): string => '<d:v>'.repeat(depth) + '</d:v>'.repeat(depth);
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
  const inside = (text: string): string => entryOf(`${keysOf('bad')}${text}`);
  const prefixed = (text: string, properties = ''): string =>
    entryOf(keysOf('bad') + properties).replace(/^<\?xml.*?\?>/, (declared) => declared + text);

  it.each<[string, string | Buffer]>([
    ['a document type', prefixed('<!DOCTYPE entry>')],
    ['its own entity declaration', prefixed('<!DOCTYPE entry [<!ENTITY e "x">]>', '<d:v>&e;</d:v>')],
    ['a file as an entity', prefixed('<!DOCTYPE entry [<!ENTITY e SYSTEM "file:///etc/hostname">]>', '<d:v>&e;</d:v>')],
    ['a parameter entity', prefixed('<!DOCTYPE entry [<!ENTITY % e SYSTEM "http://127.0.0.1:9/x"> %e;]>')],
    ['a billion laughs', prefixed(`<!DOCTYPE entry [<!ENTITY l0 "lol">${laughs}]>`, '<d:v>&l9;</d:v>')],
    ['an entity that is not declared', inside('<d:v>&nbsp;</d:v>')],
    ['the number of no character', inside('<d:v>&#0;</d:v>')],
    ['a number beyond Unicode', inside('<d:v>&#x110000;</d:v>')],
    ['half a surrogate pair', inside('<d:v>&#xD800;</d:v>')],
    ['a raw control character', inside('<d:v>\u0001</d:v>')],
    ['an element inside a value', inside('<d:v>a<d:w>b</d:w></d:v>')],
    ['an element that is not closed', inside('<d:v>')],
    ['elements closed in the wrong order', inside('<d:v><d:w></d:v></d:w>')],
    ['an attribute twice', inside('<d:v m:type="Edm.Int32" m:type="Edm.Int32">1</d:v>')],
    ['an attribute without quotes', inside('<d:v m:type=Edm.Int32>1</d:v>')],
    ['a prefix that is not declared', inside('<q:v>1</q:v>')],
    ['a bare ampersand', inside('<d:v>a & b</d:v>')],
    ['two roots', `${inside('')}<entry ${namespaces} />`],
    ['text after the root', `${inside('')}more`],
    ['another root', inside('').replaceAll('entry', 'feed')],
    ['a root of another namespace', inside('').replace('http://www.w3.org/2005/Atom', 'urn:other')],
    ['a depth of 10,000', inside(deep(10_000))],
    ['20,000 elements', inside('<d:v />'.repeat(20_000))],
    ['10,000 attributes', inside(`<d:v ${Array.from({ length: 10_000 }, (_, n) => `a${n}=""`).join(' ')} />`)],
    ['bytes that are not UTF-8', Buffer.from(inside('<d:v>\u00e9</d:v>'), 'latin1')],
    ['a name of 3 MB', inside(`<d:${'v'.repeat(3_000_000)}>1</d:${'v'}>`)],
    ['nothing', ''],
    ['white space', ' \r\n '],
    ['half a document', inside('').slice(0, 200)],
  ])('%s', async (_, body) => {
    expectRefusal(await post(body), unreadable, xml);
  });

  it('more than 4 MiB: 413 RequestBodyTooLarge', async () => {
    const answer = await post(inside(`<d:v>${'x'.repeat(4 * 1_048_576)}</d:v>`));
    expect([answer.status, answer.body]).toEqual([
      413,
      expect.stringContaining('<m:code>RequestBodyTooLarge</m:code>'),
    ]);
  });

  it('and then nothing is written', async () => {
    expect((await service.get(entityPath('pets', 'p', 'bad'))).status).toBe(404);
  });
});
