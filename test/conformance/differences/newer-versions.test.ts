// The service refuses an `x-ms-version` that it does not know. An SDK that is released after this version of Tanzanite
// may send a version that Tanzanite does not know. If Tanzanite refused such a version, that SDK would stop working,
// although nothing has changed for tables.
//
// Tanzanite therefore accepts a well-formed version that is newer than all versions that Tanzanite knows. With
// `--strict-api-version` (`apiVersions: 'known'`), it refuses that version as the service would. With
// `--skipApiVersionCheck` (`apiVersions: 'any'`), it accepts any value.

import { describe, expect, it } from 'vitest';
import { newestVersion } from '../../../src/protocol/service-version.ts';
import { type Service, startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

const usual = await startService();
const strict = await startService({ apiVersions: 'known' });
const unchecked = await startService({ apiVersions: 'any' });

async function at(service: Service, version: string): Promise<[outcome: string, echo: string | undefined]> {
  const answer = await service.get('/Tables', { 'x-ms-version': version });
  return [outcomeOf(answer), answer.header('x-ms-version')];
}

const refused = ['400 InvalidHeaderValue', undefined];

describe('Newer versions are accepted', () => {
  it('get the response of the newest known version, with the requested version in x-ms-version', async () => {
    for (const version of ['2027-01-01', '2099-12-31']) expect(await at(usual, version)).toEqual(['200', version]);
  });

  it('are accepted; an unknown version that is older than the newest known version is refused', async () => {
    for (const version of ['2018-06-28', '2019-02-03']) expect(await at(usual, version)).toEqual(refused);
  });

  it('have the form of a version: anything else is refused', async () => {
    for (const version of ['latest', '2099-1-1', '20990101']) expect(await at(usual, version)).toEqual(refused);
  });

  it('are refused with --strict-api-version; known versions are accepted', async () => {
    for (const version of ['2027-01-01', '2099-12-31']) expect(await at(strict, version)).toEqual(refused);
    expect(await at(strict, '2019-02-02')).toEqual(['200', '2019-02-02']);
  });

  it('may be any date with --skipApiVersionCheck: the response repeats the date', async () => {
    for (const version of ['2018-06-28', '2099-12-31']) expect(await at(unchecked, version)).toEqual(['200', version]);
  });

  it('may be any text with --skipApiVersionCheck: a text that is not a date counts as the newest version', async () => {
    for (const version of ['latest', '2099-1-1']) expect(await at(unchecked, version)).toEqual(['200', newestVersion]);
  });
});
