import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml } from '../../../src/protocol/xml-reader.ts';
import { escapeXmlAttribute, escapeXmlText } from '../../../src/protocol/xml-text.ts';
import { units } from '../../support/arbitrary-values.ts';

describe('Text for XML', () => {
  it.each([
    ['markup', 'a & b < c > d', 'a &amp; b &lt; c &gt; d'],
    ['quotation marks as they are', `"a" 'b'`, `"a" 'b'`],
    ['line feed and tab as they are', 'a\n\tb', 'a\n\tb'],
    ['a carriage return by reference', 'a\r\nb', 'a&#xD;\nb'],
    ['control characters by reference', '\u0000\u0001\u000b\u001f', '&#x0;&#x1;&#xB;&#x1F;'],
    ['characters outside XML as references', '\ufffe\uffff', '&#xFFFE;&#xFFFF;'],
    ['the rest as it is', '\u007f\u0085\u00e9\u2028\u{1f600}', '\u007f\u0085\u00e9\u2028\u{1f600}'],
  ])('contains %s', (_, text, escaped) => {
    expect(escapeXmlText(text)).toBe(escaped);
  });

  it('also escapes the quotation mark for an attribute', () => {
    expect(escapeXmlAttribute(`W/"datetime'1'"`)).toBe(`W/&quot;datetime'1'&quot;`);
  });

  it('is the same after parsing, except U+0000 and halves of surrogate pairs', () => {
    fc.assert(
      fc.property(units, (any) => {
        const text = Buffer.from(any.replaceAll('\0', ' ')).toString();
        const { attributes, ...read } = readXml(
          Buffer.from(`<a b="${escapeXmlAttribute(text)}">${escapeXmlText(text)}</a>`),
        );
        expect([read.text, attributes[0]?.value]).toEqual([text, text]);
      }),
    );
  });
});
