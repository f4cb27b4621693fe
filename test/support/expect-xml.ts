// Checks responses of the operations on policies, properties and stats. They are XML, with their own headers.

import { expect } from 'vitest';
import { expectTrailer, headerNames } from './expect-refusal.ts';
import type { TableClient, WireAnswer, WireHeaders } from './table-client.ts';

export const serverName = 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0';
const prolog = '\ufeff<?xml version="1.0" encoding="utf-8"?>';
export const asXml: WireHeaders = { 'Content-Type': 'application/xml', Accept: 'application/xml' };

export const aclPath = (table: string): string => `/${table}?comp=acl`;
export const propertiesPath = '/?restype=service&comp=properties';
export const statsPath = '/?restype=service&comp=stats';

export function putXml(
  client: Pick<TableClient, 'send'>,
  path: string,
  body: string | Buffer | undefined,
  headers: WireHeaders = {},
): Promise<WireAnswer> {
  return client.send({ method: 'PUT', path, headers: { ...asXml, ...headers }, body });
}

/** Checks a response with status 200 exactly: byte order mark, declaration, content and all headers. */
export function expectXml(answer: WireAnswer, content: string, version = '2019-02-02'): void {
  expect(answer.status, answer.body.slice(0, 400)).toBe(200);
  expect(answer.body).toBe(prolog + content);
  expect(answer.header('Content-Type')).toBe('application/xml');
  expect(answer.header('Server')).toBe(serverName);
  expect(answer.header('x-ms-version')).toBe(version);
  expect(headerNames(answer)).toEqual([
    'content-type',
    'date',
    'server',
    'transfer-encoding',
    'x-ms-request-id',
    'x-ms-version',
  ]);
}

/** Checks a response without a body: 204 has a length of zero, and 202 is sent in chunks. */
export function expectStored(answer: WireAnswer, status: 202 | 204): void {
  expect([answer.status, answer.body]).toEqual([status, '']);
  const framing = status === 204 ? 'content-length' : 'transfer-encoding';
  expect(headerNames(answer)).toEqual([framing, 'date', 'server', 'x-ms-request-id', 'x-ms-version'].sort());
  expect(answer.header('Server')).toBe(serverName);
}

export interface ServiceRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const invalidDocument: ServiceRefusal = {
  status: 400,
  code: 'InvalidXmlDocument',
  message: 'XML specified is not syntactically valid.',
};
export const invalidValue: ServiceRefusal = {
  status: 400,
  code: 'InvalidXmlNodeValue',
  message: 'The value for one of the XML nodes is not in the correct format.',
};

/** Checks an error exactly: XML with prefixes, the code in a header, and the text in the reason phrase. */
export function expectServiceRefusal(answer: WireAnswer, { status, code, message }: ServiceRefusal): void {
  expect([answer.status, answer.header('x-ms-error-code')], answer.body).toEqual([status, code]);
  expect(answer.reason).toBe(message);
  const namespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
  expect(answer.body).toBe(
    `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="${namespace}"><m:code>${code}</m:code>` +
      `<m:message xml:lang="en-US">${expectTrailer(answer, message)}</m:message></m:error>`,
  );
  expect(answer.header('Content-Type')).toBe('application/xml');
  expect(answer.header('Server')).toBe(serverName);
  expect(headerNames(answer)).toEqual(
    ['content-length', 'content-type', 'date', 'server', 'x-ms-error-code', 'x-ms-request-id', 'x-ms-version'].sort(),
  );
}

export interface CorsRuleText {
  readonly origins?: string;
  readonly methods?: string;
  readonly allowed?: string;
  readonly exposed?: string;
  readonly maxAge?: string;
}

export function corsRule({
  origins = '*',
  methods = 'GET',
  allowed = '',
  exposed = '',
  maxAge = '60',
}: CorsRuleText): string {
  return (
    `<CorsRule><AllowedOrigins>${origins}</AllowedOrigins><AllowedMethods>${methods}</AllowedMethods>` +
    `<AllowedHeaders>${allowed}</AllowedHeaders><ExposedHeaders>${exposed}</ExposedHeaders>` +
    `<MaxAgeInSeconds>${maxAge}</MaxAgeInSeconds></CorsRule>`
  );
}

export const propertiesXml = (content: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties>${content}</StorageServiceProperties>`;

export async function setCors(client: Pick<TableClient, 'send'>, rules: readonly CorsRuleText[]): Promise<void> {
  const cors = `<Cors>${rules.map(corsRule).join('')}</Cors>`;
  expectStored(await putXml(client, propertiesPath, propertiesXml(cors)), 202);
}
