import type { Credentials } from '../auth/authenticate.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Address } from '../protocol/address.ts';
import { versionGates } from '../protocol/service-version.ts';
import { type HttpRequest, headerOf } from './http-message.ts';
import type { ParsedHeaders } from './negotiated-headers.ts';

/** The parts of a request that prove who sent it. */
export function credentialsOf(
  { method, headers, isSecure, remoteAddress }: HttpRequest,
  { account, secondary, wirePath, query: { repeatedNames } }: Address,
  { version, query }: ParsedHeaders,
  { startedAtMs }: Pick<RequestRecord, 'startedAtMs'>,
): Credentials {
  return {
    nowMs: startedAtMs,
    method,
    account,
    secondary,
    wirePath,
    comp: query.get('comp'),
    authorization: headers.authorization,
    msDate: headerOf(headers, 'x-ms-date'),
    date: headers.date,
    contentMd5: headerOf(headers, 'content-md5') ?? '',
    contentType: headers['content-type'] ?? '',
    query,
    repeatedNames,
    isSecure,
    remoteAddress,
    challenges: version >= versionGates.bearerChallenge && headers['x-ms-version'] !== undefined,
  };
}
