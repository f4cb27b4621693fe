import type { Credentials } from '../auth/credentials.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Address } from '../protocol/address.ts';
import { versionGates } from '../protocol/service-version.ts';
import { type HttpRequest, headerOf } from './http-message.ts';
import type { ParsedHeaders } from './negotiated-headers.ts';

/** The parts of a request that prove who sent it. */
export function credentialsOf(
  { method, headers, repeatsAuthorization, isSecure, remoteAddress }: HttpRequest,
  { account, secondary, wirePath, query: { repeatedNames } }: Address,
  { version, query }: ParsedHeaders,
  { startedAtMs }: Pick<RequestRecord, 'startedAtMs'>,
): Credentials {
  const namesVersion = headers['x-ms-version'] !== undefined;
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
    repeatsAuthorization,
    challenges: namesVersion && version >= versionGates.bearerChallenge,
    takesTokens: namesVersion && version >= versionGates.bearerTokens,
  };
}
