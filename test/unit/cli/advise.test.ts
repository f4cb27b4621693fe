import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdvisorReport } from '../../../src/advisor/report.ts';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { openClient, type TableClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--advise', '--silent']);
let url: string;
let client: TableClient;

const advise = (...args: string[]) => runCommand(['advise', '--url', url, ...args], { cwd: folder.path });
const orOfKeys = (table: string) =>
  client.send({ method: 'GET', path: `/${table}()?$filter=RowKey%20eq%20'a1'%20or%20RowKey%20eq%20'b1'` });

beforeAll(async () => {
  url = await server.ready();
  client = openClient(url);
  for (const table of ['Pets', 'Toys']) {
    await client.send({ method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: table }) });
  }
  await orOfKeys('Pets');
});
afterAll(async () => {
  await server.end('SIGKILL');
  folder.remove();
});

describe('advise', () => {
  it('prints the findings for people, and exits with 0', async () => {
    const { code, stdout, stderr } = await advise();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^1 finding \(1 warning\) in 3 requests\n\nwarning {2}or-of-keys in Pets: /);
    expect(stdout).toContain("GET /Pets()?$filter=RowKey eq 'a1' or RowKey eq 'b1'");
    expect(stdout).toMatch(/\nchecklist {2}\d+ kept, 1 broken, /);
    expect(stdout).toMatch(/\ndevstoreaccount1\/Pets +2 /);
  });

  it('prints no values with --redact-values', async () => {
    const { stdout } = await advise('--redact-values');
    expect(stdout).toContain("RowKey eq '…' or RowKey eq '…'");
    expect(stdout).not.toContain('a1');
  });

  it.each([
    ['json', /^\{\n {2}"from"/],
    ['markdown', /^# Advisor\n/],
    ['sarif', /sarif-2\.1\.0\.json/],
    ['junit', /^<\?xml version="1\.0"/],
  ])('prints %s', async (format, pattern) => {
    const { code, stdout } = await advise('--format', format);
    expect([code, stdout]).toEqual([0, expect.stringMatching(pattern)]);
  });

  it.each([
    ['note', 3],
    ['warning', 3],
    ['error', 0],
  ])('exits with --fail-on %s with %d', async (severity, expected) => {
    expect((await advise('--fail-on', severity)).code).toBe(expected);
  });

  it('accepts the findings that --ignore and tanzanite.json name, with the reason', async () => {
    const ignored = await advise('--ignore', 'or-of-keys:pets=few keys', '--fail-on', 'note');
    expect(ignored.code).toBe(0);
    expect(ignored.stdout).toContain('ignored  or-of-keys in Pets: few keys');
    expect((await advise('--ignore', 'or-of-keys:Toys=few keys', '--fail-on', 'note')).code).toBe(3);
    const file = join(folder.path, 'tanzanite.json');
    writeFileSync(file, JSON.stringify({ advisor: { ignore: [{ rule: 'or-of-keys', reason: 'as agreed' }] } }));
    expect((await advise('--fail-on', 'note')).stdout).toContain('ignored  or-of-keys in Pets: as agreed');
    writeFileSync(file, '{}');
  });

  it('leaves out the findings of a --baseline, and lists new and missing findings with --compare', async () => {
    const saved = (await advise('--format', 'json')).stdout;
    const file = join(folder.path, 'advice.json');
    writeFileSync(file, saved);
    expect((await advise('--baseline', 'advice.json', '--fail-on', 'note')).code).toBe(0);
    await orOfKeys('Toys');
    const { code, stdout } = await advise('--baseline', 'advice.json', '--fail-on', 'note');
    expect([code, stdout]).toEqual([3, expect.stringContaining('warning  or-of-keys in Toys')]);
    const report = JSON.parse(saved) as AdvisorReport;
    const gone = report.findings.map((finding) => ({ ...finding, rule: 'table-scan' }));
    writeFileSync(file, JSON.stringify({ ...report, findings: [...report.findings, ...gone] }));
    const compared = (await advise('--compare', 'advice.json')).stdout;
    expect(compared).toMatch(
      /\nnew {4}or-of-keys in Toys \(1×\)\ngone {3}table-scan in Pets \(1×\)\nstays {2}or-of-keys in Pets \(1× → 1×\)\nrequests {2}3 → 4\n/,
    );
    const json = JSON.parse((await advise('--compare', 'advice.json', '--format', 'json')).stdout) as {
      comparison: object;
    };
    expect(json.comparison).toMatchObject({ added: [{ table: 'Toys' }], gone: [{ rule: 'table-scan' }] });
  });
});

describe('advise is refused with code 2', () => {
  it.each([
    [
      'an unknown rule',
      ['--ignore', 'table-scna=x'],
      '--ignore: there is no rule table-scna; did you mean table-scan?',
    ],
    ['a rule without a reason', ['--ignore', 'table-scan'], '--ignore must be rule[:table]=reason, and the reason'],
    ['an empty reason', ['--ignore', 'table-scan= '], '--ignore must be rule[:table]=reason, and the reason'],
    ['another format', ['--format', 'yaml'], '--format'],
    ['another severity', ['--fail-on', 'fatal'], '--fail-on'],
    ['a baseline that is absent', ['--baseline', 'absent.json'], '--baseline absent.json cannot be read'],
    [
      'a comparison in another format',
      ['--compare', 'absent.json', '--format', 'junit'],
      '--compare takes --format text or json',
    ],
  ])('for %s', async (_case, args, message) => {
    const { code, stdout, stderr } = await advise(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('for a baseline that is not a report', async () => {
    writeFileSync(join(folder.path, 'other.json'), '{"findings": 3}');
    expect((await advise('--baseline', 'other.json')).stderr).toContain('is not a report that tanzanite advise');
  });
});

describe('the advisor of start', () => {
  it('is refused in tanzanite.json for an unknown rule or threshold', async () => {
    const start = (advisor: object) => {
      writeFileSync(join(folder.path, 'settings.json'), JSON.stringify({ advisor }));
      return runCommand(['settings', '--config', 'settings.json'], { cwd: folder.path });
    };
    const refusals = [
      await start({ rules: { 'table-scna': false } }),
      await start({ thresholds: { 'table-scan': { visitd: 5 } } }),
      await start({ ignore: [{ rule: 'table-scan' }] }),
    ];
    expect(refusals.map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, 'tanzanite: advisor in settings.json: rules has no member table-scna.\n'],
      [2, 'tanzanite: advisor in settings.json: thresholds.table-scan has no member visitd.\n'],
      [2, 'tanzanite: advisor in settings.json: ignore: table-scan needs a reason.\n'],
    ]);
  });

  it('makes advise exit with 1 if it is off because of --no-advisor', async () => {
    const silent = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--no-advisor']);
    const { code, stderr } = await runCommand(['advise', '--url', await silent.ready()], { cwd: folder.path });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('404 AdvisorOff: The emulator was started with --no-advisor.'),
    ]);
    await silent.end('SIGKILL');
  });

  it('prints its report to standard output when it has stopped, with --advise', async () => {
    await client.close();
    await server.end('SIGTERM');
    const after = server.stdout.slice(server.stdout.indexOf('successfully closed'));
    expect(after).toMatch(/^successfully closed.*\n2 findings \(2 warnings\) in 4 requests\n/);
    expect(readFileSync(join(folder.path, 'tanzanite.json'), 'utf8')).toBe('{}');
  });
});
