// What the door in front of the table service says to a caller it does not let in.

import { expect } from 'vitest';
import type { WireAnswer } from './client.ts';
import { expectTrailer, headerNames, jsonError } from './refusals.ts';

export interface DoorRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly server: string;
  readonly others: readonly string[];
}

const door = { server: 'Microsoft-HTTPAPI/2.0', others: [] };
export const failed: DoorRefusal = {
  ...door,
  status: 403,
  code: 'AuthenticationFailed',
  message:
    'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
};
export const malformed: DoorRefusal = {
  ...door,
  status: 400,
  code: 'InvalidAuthenticationInfo',
  message: 'Authentication information is not given in the correct format. Check the value of Authorization header.',
};
export const bodyTooLarge: DoorRefusal = {
  server: door.server,
  status: 413,
  code: 'RequestBodyTooLarge',
  message: 'The request body is too large and exceeds the maximum permissible limit.',
  others: [],
};
export const challenged: DoorRefusal = {
  status: 401,
  code: 'NoAuthenticationInformation',
  message: 'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
  server: 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0',
  others: ['www-authenticate', 'x-ms-version'],
};

export function expectFailed(answer: WireAnswer): void {
  expectDoor(answer, failed);
}

export function expectDoor(answer: WireAnswer, refused: DoorRefusal): void {
  expect([answer.status, answer.header('x-ms-error-code')]).toEqual([refused.status, refused.code]);
  expect(answer.body).toBe(jsonError(refused.code, expectTrailer(answer, refused.message)));
  expectDoorHeaders(answer, refused, 'application/json');
}

export function expectDoorHeaders(
  answer: WireAnswer,
  { status, code, message, server, others }: DoorRefusal,
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
  expectDoorHeaders(answer, failed, 'application/xml');
}
