// Lists the errors of the service, from its documentation and from recordings. Checks that a response has exactly the
// status, the headers and the body of such an error. This file does not use the emulator's error catalogue, because it
// tests that catalogue.

import { expect } from 'vitest';
import type { WireAnswer } from './table-client.ts';

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /**
   * When the error occurs: `reading` means while the request is read, and `executing` means while it is carried out.
   * Only the responses with errors of the stage `executing` have Cache-Control.
   */
  readonly stage: 'reading' | 'executing';
}

const valueTooLarge =
  'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.';
const duplicateRow =
  'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.';
const tooManyProperties =
  'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.';

const texts = {
  AtomFormatNotSupported: [415, 'reading', 'Atom format is not supported.'],
  CommandsInBatchActOnDifferentPartitions: [
    400,
    'executing',
    'All commands in a batch must operate on same entity group.',
  ],
  ConditionNotMet: [412, 'reading', 'The condition specified using HTTP conditional header(s) is not met.'],
  DuplicatePropertiesSpecified: [400, 'reading', 'A property is specified more than one time.'],
  EntityAlreadyExists: [409, 'executing', 'The specified entity already exists.'],
  EntityTooLarge: [400, 'executing', 'The entity is larger than the maximum allowed size (1MB).'],
  InsufficientAccountPermissions: [403, 'executing', 'Write operations are not allowed.'],
  InternalError: [500, 'executing', 'Server encountered an internal error. Please try again after some time.'],
  InvalidDuplicateRow: [400, 'executing', duplicateRow],
  InvalidInput: [400, 'executing', 'One of the request inputs is not valid.'],
  InvalidResourceName: [400, 'executing', 'The specifed resource name contains invalid characters.'],
  JsonFormatNotSupported: [415, 'reading', 'JSON format is not supported.'],
  MediaTypeNotSupported: [415, 'reading', 'None of the provided media types are supported'],
  MethodNotAllowed: [405, 'reading', 'The requested method is not allowed on the specified resource.'],
  NotImplemented: [501, 'executing', 'The requested operation is not implemented on the specified resource.'],
  OutOfRangeInput: [400, 'executing', 'One of the request inputs is out of range.'],
  PropertiesNeedValue: [400, 'executing', 'The values are not specified for all properties in the entity.'],
  PropertyNameInvalid: [400, 'executing', 'The property name is invalid.'],
  PropertyNameTooLong: [400, 'executing', 'The property name exceeds the maximum allowed length (255).'],
  PropertyValueTooLarge: [400, 'executing', valueTooLarge],
  ResourceNotFound: [404, 'executing', 'The specified resource does not exist.'],
  TableAlreadyExists: [409, 'executing', 'The table specified already exists.'],
  TableNotFound: [404, 'reading', 'The table specified does not exist.'],
  TooManyProperties: [400, 'executing', tooManyProperties],
  UpdateConditionNotSatisfied: [412, 'executing', 'The update condition specified in the request was not satisfied.'],
  XMethodIncorrectCount: [400, 'reading', 'More than one X-HTTP-Method is specified.'],
  XMethodIncorrectValue: [400, 'reading', 'The specified X-HTTP-Method is invalid.'],
  XMethodNotUsingPost: [400, 'reading', 'The request uses X-HTTP-Method with an HTTP verb other than POST.'],
} as const satisfies Record<string, readonly [number, Refusal['stage'], string]>;

export function refusal(code: keyof typeof texts, other: Partial<Refusal> = {}): Refusal {
  const [status, stage, message] = texts[code];
  return { status, code, message, stage, ...other };
}

/** The error for a body, a value or a type that cannot be read. */
export const unreadable = refusal('InvalidInput', {
  stage: 'reading',
  message: 'An error occurred while processing this request.',
});

/** The error for an address with keys that cannot be read. */
export const querySyntax = refusal('InvalidInput', {
  stage: 'reading',
  message: 'Bad Request - Error in query syntax.',
});

export interface AnswerTraits {
  readonly contentType?: string;
  /** Headers of the response in addition to those that every error at its stage has. */
  readonly others?: readonly string[];
}

const minimal = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const requestIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks status, body and the exact set of headers of a refusal by the table service itself. */
export function expectRefusal(
  answer: WireAnswer,
  { status, code, message, stage }: Refusal,
  { contentType = minimal, others = [] }: AnswerTraits = {},
): void {
  expect(`${answer.status} ${messageOf(answer.body)}`).toBe(`${status} ${message}`);
  const trailed = expectTrailer(answer, message);
  expect(answer.body).toBe(contentType.includes('json') ? jsonError(code, trailed) : xmlError(code, trailed));
  expect(answer.header('Content-Type')).toBe(contentType);
  expect(headerNames(answer)).toEqual(
    [...readingHeaders, ...(stage === 'executing' ? ['cache-control'] : []), ...others].sort(),
  );
  if (stage === 'executing') expect(answer.header('Cache-Control')).toBe('no-cache');
  expect(answer.header('Server')).toBe('Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0');
  expect(answer.header('X-Content-Type-Options')).toBe('nosniff');
}

const readingHeaders = [
  'content-type',
  'date',
  'server',
  'transfer-encoding',
  'x-content-type-options',
  'x-ms-request-id',
  'x-ms-version',
];

/** Checks the RequestId and the Time after a message, and returns the message with them. */
export function expectTrailer(answer: WireAnswer, message: string): string {
  const requestId = answer.header('x-ms-request-id') ?? '';
  expect(requestId).toMatch(requestIdPattern);
  const time = /Time:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z)/.exec(answer.body)?.[1];
  expect(time, `no time of seven digits in ${answer.body}`).toBeDefined();
  return `${message}\nRequestId:${requestId}\nTime:${time}`;
}

export function jsonError(code: string, trailed: string): string {
  return `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":${asciiJson(trailed)}}}}`;
}

function xmlError(code: string, trailed: string): string {
  const namespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
  return `<?xml version="1.0" encoding="utf-8"?><error xmlns="${namespace}"><code>${code}</code><message xml:lang="en-US">${trailed}</message></error>`;
}

/** JSON text in which everything outside ASCII is escaped in lower-case hexadecimal. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The text of an error without its RequestId and Time, so that a difference is easy to read. */
function messageOf(body: string): string {
  const json = /"value":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
  const text = json === undefined ? /<message[^>]*>([^<]*)</.exec(body)?.[1] : (JSON.parse(`"${json}"`) as string);
  return (text ?? body).split('\nRequestId:')[0] ?? '';
}

/**
 * Returns the names of the headers of a response, in lower case and sorted. Lists a header several times if it was sent
 * several times. Leaves out headers of the connection and headers of the emulator.
 */
export function headerNames(answer: WireAnswer): string[] {
  const others = new Set(['connection', 'keep-alive', 'x-emulator-why']);
  return answer.headers
    .map(([name]) => name.toLowerCase())
    .filter((name) => !others.has(name))
    .sort();
}
