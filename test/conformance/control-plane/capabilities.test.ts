import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { CapabilityReport } from '../../../src/data/capabilities.ts';
import { errorCatalogue } from '../../../src/model/error-catalogue.ts';
import * as limits from '../../../src/model/limits.ts';
import { operationTable } from '../../../src/service/operation-table.ts';
import { ask, codeOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const { origin } = await startService();
const root = fileURLToPath(new URL('../../..', import.meta.url));

async function report(query = ''): Promise<CapabilityReport> {
  const { status, json, text } = await ask(origin, { method: 'GET', path: `/_emulator/capabilities${query}` });
  expect(status, text).toBe(200);
  return json as CapabilityReport;
}

const whole = await report();
const namesOf = (subject: string): string[] =>
  whole.capabilities.filter((row) => row.subject === subject).map(({ name }) => name);

describe('Capabilities', () => {
  it('name every operation, every refusal and every limit of the source', () => {
    const operations = operationTable.map(({ operation }) => operation.name);
    expect(namesOf('operation').toSorted()).toEqual([...operations, 'TablePreflightRequest'].toSorted());
    expect(namesOf('refusal')).toEqual(Object.keys(errorCatalogue));
    expect(Object.keys(limits).filter((name) => !namesOf('limit').includes(name))).toEqual([]);
  });

  it('say for each row how it is known, and name a test that exists', () => {
    for (const { name, done, evidence, tests, differences } of whole.capabilities) {
      expect(done === 'own' || evidence.length > 0, name).toBe(true);
      expect(tests.length, name).toBeGreaterThan(0);
      expect(differences.length > 0, name).toBe(
        done === 'differs' ||
          (done === 'own' && differences.length > 0) ||
          (done === 'refused' && differences.length > 0),
      );
      for (const file of [...differences, ...tests.map((test) => test.file)]) {
        expect(existsSync(`${root}/${file}`), `${name}: ${file}`).toBe(true);
      }
      for (const { file, title } of tests) {
        const own = title.split(': ').at(-1) ?? '';
        expect(readFileSync(`${root}/${file}`, 'utf8').replaceAll('\\', ''), `${name}: ${title}`).toContain(own);
      }
    }
  });

  it('can be filtered by a subject, a kind of evidence and a part of a name', async () => {
    const refusals = await report('?subject=refusal&name=TOOLARGE');
    expect(refusals.capabilities.map(({ name }) => name)).toEqual([
      'EntityTooLarge',
      'PropertyValueTooLarge',
      'RequestBodyTooLarge',
    ]);
    expect(refusals.behaviours).toEqual([]);
    const { behaviours } = await report('?evidence=assumed');
    expect(behaviours.length).toBeGreaterThan(50);
    expect(behaviours.length).toBeLessThan(whole.behaviours.length);
    expect(behaviours.filter(({ evidence }) => !evidence.some(({ kind }) => kind === 'assumed'))).toEqual([]);
    expect(await report('?name=%00%F0%9F%98%80')).toMatchObject({ capabilities: [], behaviours: [] });
  });

  it.each([
    ['subject=refusals', '"subject" must be one of operation, option'],
    ['evidence=', '"evidence" must be one of recorded, documented, sdk, assumed'],
    ['evidence=assumed&evidence=sdk', '"evidence"'],
    ['kind=assumed', 'has "kind", which means nothing here'],
  ])('refuse the query %s: 400 InvalidRequest', async (query, reason) => {
    const answer = await ask(origin, { method: 'GET', path: `/_emulator/capabilities?${query}` });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    expect(answer.text).toContain(JSON.stringify(reason).slice(1, -1));
  });

  it('are refused to a page of another origin', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    const answer = await ask(origin, { method: 'GET', path: '/_emulator/capabilities', headers });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'ForeignPage']);
  });
});
