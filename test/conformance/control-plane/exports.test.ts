import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ask, type ControlAnswer, codeOf } from '../../support/control-plane.ts';
import { fillTable } from '../../support/fill-table.ts';
import { entityPath } from '../../support/service.ts';
import { startTimedService } from '../../support/timed-service.ts';

const { service, time } = await startTimedService();

const idleMsMax = 300_000;
const exportsMax = 16;

const send = (method: string, path: string, body?: object): Promise<ControlAnswer> =>
  ask(service.origin, { method, path: `/_emulator/export${path}`, body });

async function begin(body: object = {}): Promise<string> {
  const answer = await send('POST', '', body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.json as { export: string }).export;
}

const refusal = (answer: ControlAnswer) => ({ status: answer.status, code: codeOf(answer) });
const notFound = { status: 404, code: 'ExportNotFound' };
const line = (rowKey: string, more = ''): string => `{"PartitionKey":"p","RowKey":"${rowKey}"${more}}`;

describe('an export', () => {
  it('returns each table once, in its state when the export began', async () => {
    await fillTable(service.origin, 'Pets', [line('a')]);
    await fillTable(service.origin, 'Plants', [line('b')]);
    const begun = await send('POST', '', {});
    const { export: id, ...rest } = begun.json as { export: string };
    const tables = ['Pets', 'Plants'].map((name) => ({ name, signedIdentifiers: [] }));
    expect(rest).toEqual({ account: 'devstoreaccount1', tables });
    await service.insert('Pets', { RowKey: 'later' });
    await ask(service.origin, { path: '/_emulator/reset', body: {} });
    expect((await send('GET', `/${id}/tables/PETS`)).text).toBe(`${line('a')}\n`);
    expect((await send('GET', `/${id}/tables/Plants`)).text).toBe(`${line('b')}\n`);
    expect(refusal(await send('GET', `/${id}/tables/Pets`))).toEqual({ status: 404, code: 'TableNotFound' });
    expect((await send('DELETE', `/${id}`)).status).toBe(204);
    expect(refusal(await send('DELETE', `/${id}`))).toEqual(notFound);
    expect(refusal(await send('GET', `/${id}/tables/Pets`))).toEqual(notFound);
  });

  it('has only the requested tables, and none for an unknown account', async () => {
    for (const name of ['Pets', 'Plants']) await fillTable(service.origin, name, [line('a')]);
    const id = await begin({ tables: ['plants', 'Absent'] });
    for (const name of ['Pets', 'Absent']) {
      expect(refusal(await send('GET', `/${id}/tables/${name}`))).toEqual({ status: 404, code: 'TableNotFound' });
    }
    expect((await send('GET', `/${id}/tables/Plants`)).text).toBe(`${line('a')}\n`);
    await send('DELETE', `/${id}`);
    const unknown = await send('POST', '', { account: 'absent' });
    expect(refusal(unknown)).toEqual({ status: 404, code: 'AccountNotFound' });
  });

  it('ends if there is no request for five minutes', async () => {
    await fillTable(service.origin, 'Pets', [line('a')]);
    const id = await begin();
    time.advance(idleMsMax - 1);
    expect((await send('GET', `/${id}/tables/Pets`)).status).toBe(200);
    time.advance(idleMsMax - 1);
    expect(refusal(await send('GET', `/${id}/tables/Pets`))).toEqual({ status: 404, code: 'TableNotFound' });
    time.advance(idleMsMax);
    expect(refusal(await send('DELETE', `/${id}`))).toEqual(notFound);
  });

  it('ends when its client disconnects in the middle of a table', async () => {
    const text = `,"text":"${'x'.repeat(30_000)}"`;
    const lines = Array.from({ length: 200 }, (_, at) => line(String(at), text)).join('\n');
    await fillTable(service.origin, 'Large', [lines, lines.replaceAll('"p"', '"q"'), lines.replaceAll('"p"', '"r"')]);
    const id = await begin();
    const sent = request(`${service.origin}/_emulator/export/${id}/tables/Large`, { agent: false }).end();
    const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
    await once(response, 'readable');
    sent.destroy();
    await expect.poll(async () => refusal(await send('GET', `/${id}/tables/Other`))).toEqual(notFound);
    const entity = entityPath('Large', 'p', '0');
    const headers = { 'If-Match': '*' };
    expect((await service.send({ method: 'DELETE', path: entity, headers })).status).toBe(204);
  });

  it('is refused while the maximum number is in progress, and begins when one has ended', async () => {
    const exports = await Promise.all(Array.from({ length: exportsMax }, () => begin()));
    expect(refusal(await send('POST', '', {}))).toEqual({ status: 429, code: 'TooManyExports' });
    expect((await send('DELETE', `/${exports[0]}`)).status).toBe(204);
    exports[0] = await begin();
    for (const id of exports) expect((await send('DELETE', `/${id}`)).status).toBe(204);
  });
});
