// The commands of Tanzanite send their own name in the User-Agent header. From this name, the advisor sees that no
// application sent the request, and does not judge the request.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AdvisorReport } from '../../../src/advisor/report.ts';
import { keyConnectionString } from '../../../src/auth/connection-string.ts';
import { defaultEmulatorSettings, runEmulator } from '../../../src/emulator.ts';
import { commandAgentPrefix, type RequestRecord } from '../../../src/model/request-record.ts';
import { ask } from '../../support/control-plane.ts';
import { runCommand } from '../../support/run-command.ts';
import { serviceAt, startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const records: Pick<RequestRecord, 'operation' | 'userAgent'>[] = [];
const emulator = await runEmulator({
  ...defaultEmulatorSettings,
  port: 0,
  onRequest: ({ operation, userAgent }) => records.push({ operation, userAgent }),
});
const service = serviceAt(emulator.url, () => emulator.close());
const other = await startService();
const folder = temporaryFolder();
const keyed = (url: string): string => keyConnectionString({ name: 'devstoreaccount1', key: developmentKey, url });
const rows = join(folder.path, 'Rows.csv');
mkdirSync(join(folder.path, 'out'));
writeFileSync(rows, ['PartitionKey,RowKey,a', ...Array.from({ length: 300 }, (_, at) => `${at},r,1`)].join('\n'));

async function run(...words: readonly string[]): Promise<void> {
  const env = {
    TANZANITE_URL: service.origin,
    TANZANITE_COPY_FROM: keyed(other.base),
    TANZANITE_COPY_TO: keyed(service.base),
    XDG_STATE_HOME: folder.path,
    AZURE_STORAGE_CONNECTION_STRING: '',
    AZURE_TABLES_CONNECTION_STRING: '',
  };
  const { code, stderr } = await runCommand(words, { env });
  expect({ words, code, stderr }).toMatchObject({ words, code: 0 });
}

async function reported(): Promise<AdvisorReport> {
  return (await ask(service.origin, { method: 'GET', path: '/_emulator/advisor' })).json as AdvisorReport;
}

describe('Requests of the commands', () => {
  it('begin their User-Agent with a name that only the commands have', async () => {
    await other.createTable('Copied');
    for (let at = 0; at < 30; at++) await other.insert('Copied', { PartitionKey: 'p', RowKey: `${at}`, a: at });
    await run('table', 'create', 'Rows');
    await run('entity', 'put', 'Rows', 'p', 'r', 'a=1');
    await run('entity', 'get', 'Rows', 'p', 'r');
    await run('seed', rows);
    await run('entity', 'query', 'Rows', "a eq '2'");
    await run('export', join(folder.path, 'out'));
    await run('copy');
    expect(records.length).toBeGreaterThan(5);
    expect(records.filter(({ userAgent }) => !userAgent?.startsWith(commandAgentPrefix))).toEqual([]);
  });

  it('are ignored by the advisor and the heat map, which still see the requests of the application', async () => {
    expect(await reported()).toMatchObject({ requests: 0, findings: [], tables: [] });
    const { json } = await ask(service.origin, { method: 'GET', path: '/_emulator/heatmap' });
    expect(json).toMatchObject({ table: null, tables: [] });
    await service.get("/Rows(PartitionKey='p',RowKey='r')");
    expect(await reported()).toMatchObject({ requests: 1 });
  });
});
