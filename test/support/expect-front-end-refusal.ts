// Refusals by the service's front end, which come before the table service itself sees the request.

import { expect } from 'vitest';
import { expectTrailer, headerNames, jsonError } from './expect-refusal.ts';
import type { WireAnswer } from './table-client.ts';

export interface FrontEndRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly server: string;
  readonly others: readonly string[];
}

const frontEnd = { server: 'Microsoft-HTTPAPI/2.0', others: [] };
export const failed: FrontEndRefusal = {
  ...frontEnd,
  status: 403,
  code: 'AuthenticationFailed',
  message:
    'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
};
export const malformed: FrontEndRefusal = {
  ...frontEnd,
  status: 400,
  code: 'InvalidAuthenticationInfo',
  message: 'Authentication information is not given in the correct format. Check the value of Authorization header.',
};
export const bodyTooLarge: FrontEndRefusal = {
  server: frontEnd.server,
  status: 413,
  code: 'RequestBodyTooLarge',
  message: 'The request body is too large and exceeds the maximum permissible limit.',
  others: [],
};
export const challenged: FrontEndRefusal = {
  status: 401,
  code: 'NoAuthenticationInformation',
  message: 'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
  server: 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0',
  others: ['www-authenticate', 'x-ms-version'],
};

export function expectFailed(answer: WireAnswer): void {
  expectFrontEndRefusal(answer, failed);
}

export function expectFrontEndRefusal(answer: WireAnswer, refused: FrontEndRefusal): void {
  expect([answer.status, answer.header('x-ms-error-code')]).toEqual([refused.status, refused.code]);
  expect(answer.body).toBe(jsonError(refused.code, expectTrailer(answer, refused.message)));
  expectFrontEndHeaders(answer, refused, 'application/json');
}

export function expectFrontEndHeaders(
  answer: WireAnswer,
  { status, code, message, server, others }: FrontEndRefusal,
  contentType: string,
): void {
  expect([answer.status, answer.reason]).toEqual([status, message]);
  expect(answer.header('x-ms-error-code')).toBe(code);
  expect(answer.header('Content-Type')).toBe(contentType);
  expect(answer.header('Content-Length')).toBe(String(Buffer.byteLength(answer.body)));
  expect(answer.header('Server')).toBe(server);
  const names = ['content-length', 'content-type', 'date', 'server', 'x-ms-error-code', 'x-ms-request-id', ...others];
  expect(headerNames(answer)).toEqual(names.sort());
}

export function expectOldest(answer: WireAnswer): void {
  const trailed = expectTrailer(answer, failed.message);
  expect(answer.body.replace(/^\ufeff/, '')).toBe(
    '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n' +
      '<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">\r\n' +
      `  <code>AuthenticationFailed</code>\r\n  <message xml:lang="en-US">${trailed}</message>\r\n</error>`,
  );
  expectFrontEndHeaders(answer, failed, 'application/xml');
}
