import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorShape, renderErrorBody } from '../../../src/protocol/error-body.ts';
import { units } from '../../support/arbitrary-values.ts';

const error = { code: 'InvalidInput', message: 'Not this.', requestId: 'id', time: '2024-05-01T10:00:02.5000000Z' };
const trailed = 'Not this.\nRequestId:id\nTime:2024-05-01T10:00:02.5000000Z';
const namespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';

describe('The body of an error', () => {
  it.each([
    [
      'json',
      '{"odata.error":{"code":"InvalidInput","message":{"lang":"en-US","value":"Not this.\\nRequestId:id\\nTime:2024-05-01T10:00:02.5000000Z"}}}',
    ],
    [
      'xml',
      `<?xml version="1.0" encoding="utf-8"?><error xmlns="${namespace}"><code>InvalidInput</code><message xml:lang="en-US">${trailed}</message></error>`,
    ],
    [
      'prefixed-xml',
      `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="${namespace}"><m:code>InvalidInput</m:code><m:message xml:lang="en-US">${trailed}</m:message></m:error>`,
    ],
  ] as const)('as %s', (shape, body) => {
    expect(renderErrorBody(shape, error)).toBe(body);
  });

  it('in its oldest form has a standalone declaration, indentation and CRLF line ends', () => {
    expect(
      renderErrorBody('oldest-xml', error)
        .replace(/^\ufeff/, '')
        .split('\r\n'),
    ).toEqual([
      '<?xml version="1.0" encoding="utf-8" standalone="yes"?>',
      `<error xmlns="${namespace}">`,
      '  <code>InvalidInput</code>',
      `  <message xml:lang="en-US">${trailed}</message>`,
      '</error>',
    ]);
  });

  it('as JSON can contain any message, in ASCII', () => {
    fc.assert(
      fc.property(units, (message) => {
        const body = renderErrorBody('json', { ...error, message });
        const { 'odata.error': parsed } = JSON.parse(body) as { 'odata.error': { message: { value: string } } };
        expect(parsed.message.value).toBe(`${message}\nRequestId:id\nTime:${error.time}`);
        expect(body).toMatch(/^[\x20-\x7f]*$/);
      }),
    );
  });

  it.each(['xml', 'prefixed-xml', 'oldest-xml'] satisfies ErrorShape[])('as %s escapes any message', (shape) => {
    fc.assert(
      fc.property(units, (message) => {
        const body = renderErrorBody(shape, { ...error, message });
        const inner = /<(?:m:)?message xml:lang="en-US">([^<]*)\nRequestId:/.exec(body)?.[1];
        expect(inner).toBeDefined();
        expect(inner).not.toMatch(/&(?!amp;|lt;|gt;)/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML 1.0 cannot hold
        expect(inner).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
        expect(body.match(/</g)).toHaveLength(renderErrorBody(shape, error).match(/</g)?.length ?? 0);
      }),
    );
  });
});
