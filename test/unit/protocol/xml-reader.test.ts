import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeOf, isNamed, readXml, type XmlElement, XmlSyntaxError } from '../../../src/protocol/xml-reader.ts';

const read = (text: string): XmlElement => readXml(Buffer.from(text));
const element = (local: string, rest: Partial<XmlElement> = {}): XmlElement => ({
  uri: '',
  local,
  attributes: [],
  children: [],
  text: '',
  ...rest,
});

describe('The XML reader', () => {
  it.each([
    ['a mark before the declaration', '\ufeff<?xml version="1.0" encoding="utf-8"?><a/>'],
    ['a declaration with everything', `<?xml version='1.0' encoding='UTF-8' standalone="yes" ?><a/>`],
    ['no declaration', '<a/>'],
    ['white space, comments and instructions around the root', ' <!-- b --><?c d?>\n<a></a ><!----> <?e?>\n'],
  ])('parses a document with %s', (_, text) => {
    expect(read(text)).toEqual(element('a'));
  });

  it.each([
    ['text with white space on both sides', ' b\t\n ', ' b\t\n '],
    ['the five named references', '&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
    ['references by number', '&#65;&#x42;&#x00043;&#x1F600;', 'ABC\u{1f600}'],
    ['references to control characters', '&#x1;&#31;&#xFFFE;', '\u0001\u001f\ufffe'],
    ['line ends as line feeds', 'a\r\nb\rc\n', 'a\nb\nc\n'],
    ['a carriage return by reference', '\r\n&#xD;\r\n&#13;', '\n\r\n\r'],
    ['CDATA among text', 'a<![CDATA[<b>&amp;]]]]>c', 'a<b>&amp;]]c'],
    ['text around comments and instructions', 'a<!-- x -->b<?y z?>c', 'abc'],
    ['a document type as text', '<![CDATA[<!DOCTYPE a>]]>', '<!DOCTYPE a>'],
  ])('returns %s', (_, source, text) => {
    expect(read(`<a>${source}</a>`).text).toBe(text);
  });

  it('returns long text in one piece', () => {
    const long = `${'x'.repeat(65_535)}&amp;${'\u{1f600}'.repeat(40_000)}<![CDATA[${'y'.repeat(140_000)}]]>`;
    const text = `${'x'.repeat(65_535)}&${'\u{1f600}'.repeat(40_000)}${'y'.repeat(140_000)}`;
    expect(read(`<a>${long}</a>`).text).toBe(text);
  });

  it('resolves names by namespace, for any prefixes', () => {
    const { children } = read('<r xmlns="u" xmlns:p="v"><e p:n="1" n="2"/><p:e xmlns:p="w" p:n="3"/><e xmlns=""/></r>');
    expect(children.map(({ uri, local }) => [uri, local])).toEqual([
      ['u', 'e'],
      ['w', 'e'],
      ['', 'e'],
    ]);
    const [first, second] = children;
    expect(first && isNamed(first, 'u', 'e')).toBe(true);
    expect(first && attributeOf(first, { uri: 'v', local: 'n' })).toBe('1');
    expect(first && attributeOf(first, { uri: '', local: 'n' })).toBe('2');
    expect(second && attributeOf(second, { uri: 'w', local: 'n' })).toBe('3');
    expect(second && attributeOf(second, { uri: 'v', local: 'n' })).toBeUndefined();
  });

  it('accepts the prefix xml without a declaration', () => {
    const { attributes } = read('<a xml:space="preserve"/>');
    expect(attributes).toEqual([{ uri: 'http://www.w3.org/XML/1998/namespace', local: 'space', value: 'preserve' }]);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('treats %s like other names', (name) => {
    const { local, attributes } = read(`<${name} ${name}="1" b="2"></${name}>`);
    expect([local, attributes.map((attribute) => attribute.local)]).toEqual([name, [name, 'b']]);
    expect(() => read(`<a>&${name};</a>`)).toThrow(XmlSyntaxError);
    expect(() => read(`<${name}:a/>`)).toThrow(XmlSyntaxError);
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['no XML', '{"a":1}'],
    ['a comment alone', '<!-- a -->'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['a document type after the root', '<a/><!DOCTYPE a>'],
    ['a document type inside the root', '<a><!DOCTYPE a></a>'],
    ['a document type in lower case', '<!doctype a><a/>'],
    ['declared entities', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
    ['an element inside a document type', '<!DOCTYPE a [<a></a>'],
    ['an element inside an unfinished document type', '<!DOCTYPE a [<a/>]><a/>'],
    ['a declaration of another kind', '<a><!ELEMENT b></a>'],
    ['an unknown reference', '<a>&nbsp;</a>'],
    ['a named reference in capitals', '<a>&AMP;</a>'],
    ['a reference in capitals', '<a>&#X41;</a>'],
    ['a reference to nothing', '<a>&#x0;</a>'],
    ['a reference to half a surrogate pair', '<a>&#xD83D;&#xDE00;</a>'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>'],
    ['a reference without end', '<a>&#x41</a>'],
    ['an ampersand alone', '<a>b & c</a>'],
    ['a control character', '<a>\u0001</a>'],
    ['an invalid character', '<a>\ufffe</a>'],
    ['text before the root', 'b<a/>'],
    ['text after the root', '<a/>b'],
    ['CDATA after the root', '<a/><![CDATA[b]]>'],
    ['two roots', '<a/><a/>'],
    ['an open element', '<a><b></b>'],
    ['elements that cross', '<a><b></a></b>'],
    ['an end alone', '</a>'],
    ['an open comment', '<a/><!-- b'],
    ['a comment with two hyphens', '<a><!-- b -- c --></a>'],
    ['open CDATA', '<a><![CDATA[b]]</a>'],
    ['an open tag', '<a b="c"'],
    ['a blank before a name', '< a></a>'],
    ['an attribute without a value', '<a b></a>'],
    ['an attribute without quotation marks', '<a b=c></a>'],
    ['an attribute given twice', '<a b="c" b="c"></a>'],
    ['an attribute given twice under two prefixes', '<a xmlns:p="u" xmlns:q="u" p:b="" q:b="c"></a>'],
    ['attributes without a blank', '<a b="c"d="e"></a>'],
    ['an angle bracket in an attribute', '<a b="<"></a>'],
    ['an unknown prefix', '<b:a/>'],
    ['an unknown prefix of an attribute', '<a b:c="d"/>'],
    ['a prefix that is out of scope', '<a><b xmlns:p="u"/><p:c/></a>'],
    ['a prefix declared away', '<a xmlns:p="u"><b xmlns:p=""/></a>'],
    ['another meaning of xml', '<a xmlns:xml="u"/>'],
    ['a name of three parts', '<a:b:c xmlns:a="u"/>'],
    ['a name that is a prefix', '<a: xmlns:a="u"/>'],
    ['a name that is a number', '<1/>'],
    ['a number after a prefix', '<a:1 xmlns:a="u"/>'],
    ['a declaration after a line end', '\n<?xml version="1.0"?><a/>'],
    ['a declaration inside', '<a><?xml version="1.0"?></a>'],
    ['another version', '<?xml version="1.1"?><a/>'],
    ['another encoding', '<?xml version="1.0" encoding="iso-8859-1"?><a/>'],
    ['an encoding that the bytes do not have', '<?xml version="1.0" encoding="utf-16"?><a/>'],
  ])('refuses %s', (_, text) => {
    expect(() => read(text)).toThrow(XmlSyntaxError);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => readXml(Buffer.from('<a>\u00e9</a>', 'latin1'))).toThrow(XmlSyntaxError);
    expect(() => readXml(Buffer.from('\ufeff<a/>', 'utf16le'))).toThrow(XmlSyntaxError);
    expect(() => readXml(Buffer.from('<a/>', 'utf16le'))).toThrow(XmlSyntaxError);
  });

  it('accepts at most 32 levels and 10,000 elements', () => {
    const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
    const flat = (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`;
    expect(read(nested(32)).local).toBe('a');
    expect(() => read(nested(33))).toThrow(XmlSyntaxError);
    expect(read(flat(10_000)).children).toHaveLength(9_999);
    expect(() => read(flat(10_001))).toThrow(XmlSyntaxError);
  });

  const bytes = 4 * 1_048_576;
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
  it.each([
    ['nesting', '<a>'.repeat(bytes / 3)],
    ['elements', `<a>${'<b/>'.repeat(bytes / 4)}`],
    ['attributes', `<a${Array.from({ length: bytes / 10 }, (_, n) => ` a${n}=""`).join('')}/>`],
    ['namespaces', `<a${Array.from({ length: bytes / 14 }, (_, n) => ` xmlns:a${n}="u"`).join('')}/>`],
    ['a name', `<${'a'.repeat(bytes)}/>`],
    ['an attribute', `<a b="${'c'.repeat(bytes)}"/>`],
    ['a comment', `<a><!--${'c'.repeat(bytes)}--></a>`],
    ['an instruction', `<a><?b ${'c'.repeat(bytes)}?></a>`],
    ['a reference', `<a>&#x${'0'.repeat(bytes)}41;</a>`],
    ['references to nothing', `<a>${'&a;'.repeat(bytes / 3)}</a>`],
    ['ends', `<a>${'</b>'.repeat(bytes / 4)}`],
    ['angle brackets', '<'.repeat(bytes)],
    ['white space in the declaration', `<?xml version="1.0"${' '.repeat(bytes)}`],
    ['a document type', `<!DOCTYPE a ${'b'.repeat(bytes)}`],
    ['a billion laughs', `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><a>&l9;</a>`],
  ])('refuses 4 MiB of %s', (_, text) => {
    expect(() => read(text)).toThrow(XmlSyntaxError);
  });

  it.each([
    ['text', 'x'],
    ['white space', ' '],
    ['references', '&amp;'],
    ['carriage returns', '\r'],
    ['CDATA', '<![CDATA[x]]>'],
    ['comments', '<!--x-->'],
    ['half an end of CDATA', ']]&gt;'],
  ])('parses 1 MiB of %s', (_, part) => {
    expect(read(`<a>${part.repeat(1_048_576 / part.length)}</a>`).children).toEqual([]);
  });

  it('returns a tree or throws XmlSyntaxError for any sequence of markup', () => {
    const part = fc.constantFrom(
      ...['<', '>', '/', '</', '/>', '<a>', '</a>', '<b/>', ' ', '=', '"', "'", '<!', '<!--', '-->', '-', '<![CDATA['],
      ...[']]>', ']', '[', '<!DOCTYPE', '<?', '?>', '<?xml version="1.0"?>', '&', ';', '&#x', '41', '&lt;', 'a', ':'],
      ...['xmlns', 'xmlns:a="u"', ' b="c"', '\u0000', '\r', '\u{1f600}', '\ufeff', '\u00e9', '.', '1'],
    );
    const markup = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          markup,
          markup.map((text) => `<a>${text}</a>`),
        ),
        (text) => {
          try {
            expect(read(text).local).not.toBe('');
          } catch (error) {
            if (!(error instanceof XmlSyntaxError)) throw error;
          }
        },
      ),
      { numRuns: Number(process.env['RUNS'] ?? 5_000) },
    );
  });
});
