import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';

/**
 * Versions of the service's protocol. They can be compared as text. Evidence: documented (Versioning for Azure
 * Storage).
 */
export const serviceVersions: readonly string[] = (
  '2009-04-14 2009-07-17 2009-09-19 2011-08-18 2012-02-12 2013-08-15 2014-02-14 2015-02-21 2015-04-05 2015-07-08 ' +
  '2015-12-11 2016-05-31 2017-04-17 2017-07-29 2017-11-09 2018-03-28 2018-11-09 2019-02-02 2019-07-07 2019-10-10 ' +
  '2019-12-12 2020-02-10 2020-04-08 2020-06-12 2020-08-04 2020-10-02 2020-12-06 2021-02-12 2021-04-10 2021-06-08 ' +
  '2021-08-06 2021-10-04 2021-12-02 2022-11-02 2023-01-03 2023-08-03 2023-11-03 2024-02-04 2024-05-04 2024-08-04 ' +
  '2024-11-04 2025-01-05 2025-05-05 2025-07-05 2025-11-05 2026-02-06 2026-04-06 2026-06-06'
).split(' ');

export const newestVersion = serviceVersions.at(-1) ?? '';
export const oldestVersion = serviceVersions[0] ?? '';
const known = new Set(serviceVersions);
const wellFormed = /^\d{4}-\d\d-\d\d$/;

/**
 * Which versions the emulator accepts. `known`: the versions of the service. `newer`: also well-formed newer versions, so
 * that an SDK works on the day of its release. `any`: any text.
 */
export type VersionPolicy = 'known' | 'newer' | 'any';

/**
 * Reads the version in a header. Without a header, returns the newest version. Throws InvalidHeaderValue if the policy
 * does not accept the version. Evidence: recorded (2018-06-28 is refused); assumed (the default is the newest version).
 */
export function parseServiceVersion(header: string | undefined, policy: VersionPolicy): string {
  if (header === undefined || header === '') return newestVersion;
  if (known.has(header)) return header;
  // Text that is not a date cannot be compared with versions, so it counts as the newest.
  if (policy === 'any') return wellFormed.test(header) ? header : newestVersion;
  if (policy === 'newer' && wellFormed.test(header) && header > newestVersion) return header;
  const why = [`There is no x-ms-version ${quote(header)}.`, `The newest known is ${newestVersion}.`];
  throw new ServiceError('InvalidHeaderValue', { stage: 'frontEnd', why });
}

export function isKnownVersion(text: string | undefined): boolean {
  return text !== undefined && known.has(text);
}

/**
 * For each behaviour, the first version of the protocol that has it. Evidence: documented; recorded
 * (clientRequestIdEcho; etagInMinimalMetadata: azure-storage-node got no ETags at 2014-02-14 and 2015-02-21;
 * ownContentIdInError: py-storage got the Content-ID of the last request at 2014-02-14).
 */
export const versionGates = {
  versionEcho: '2009-09-19',
  json: '2013-08-15',
  ownContentIdInError: '2015-02-21',
  etagInMinimalMetadata: '2015-04-05',
  jsonOnly: '2015-12-11',
  detailedInputErrors: '2016-05-31',
  accountLimitErrors: '2017-04-17',
  bearerTokens: '2017-11-09',
  clientRequestIdEcho: '2018-11-09',
  bearerChallenge: '2020-12-06',
} as const;
