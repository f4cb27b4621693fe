// The service refuses an `x-ms-version` that it does not have. An SDK released after this emulator sends a version that is
// not in its list; it would stop working although nothing that concerns tables has changed.
//
// So a well-formed version newer than any known is taken. `--strict-api-version` (`apiVersions: 'known'`) refuses it as
// the service would; `--skipApiVersionCheck` (`apiVersions: 'any'`) takes whatever is sent.

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

describe('Newer versions are taken', () => {
  it('answers a newer version as the newest known one, and repeats it in x-ms-version', async () => {
    for (const version of ['2027-01-01', '2099-12-31']) expect(await at(usual, version)).toEqual(['200', version]);
  });

  it('refuses a version older than the newest that the service does not have', async () => {
    for (const version of ['2018-06-28', '2019-02-03']) expect(await at(usual, version)).toEqual(refused);
  });

  it('refuses what has not the form of a version', async () => {
    for (const version of ['latest', '2099-1-1', '20990101']) expect(await at(usual, version)).toEqual(refused);
  });

  it('refuses a newer version with --strict-api-version, and takes the known ones', async () => {
    for (const version of ['2027-01-01', '2099-12-31']) expect(await at(strict, version)).toEqual(refused);
    expect(await at(strict, '2019-02-02')).toEqual(['200', '2019-02-02']);
  });

  it('takes any date with --skipApiVersionCheck, and repeats it', async () => {
    for (const version of ['2018-06-28', '2099-12-31']) expect(await at(unchecked, version)).toEqual(['200', version]);
  });

  it('answers what is no date as the newest version with --skipApiVersionCheck', async () => {
    for (const version of ['latest', '2099-1-1']) expect(await at(unchecked, version)).toEqual(['200', newestVersion]);
  });
});
