// Staged errors have the same form as the service's own errors.

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { batchType, changesetBody } from '../../support/batch-requests.ts';
import { serviceAt } from '../../support/service.ts';

const emulator = await startEmulator();
afterAll(() => emulator.close());
afterEach(() => emulator.faults.clear());
const service = serviceAt(emulator.url, async () => undefined);
await service.createTable('pets');
await service.insert('pets', { RowKey: 'first' });

describe('A staged error', () => {
  it('is an error of the service, in the requested format, with the reason for callers on this machine', async () => {
    await emulator.faults.add({ name: 'busy', fault: { kind: 'error', code: 'ServerBusy' } });
    const json = await service.get('/pets()');
    expect([json.status, JSON.parse(json.body)['odata.error'].code]).toEqual([503, 'ServerBusy']);
    expect(json.header('x-emulator-fault')).toBe('busy');
    expect(json.header('x-emulator-why')).toContain('Staged by the fault rule');
    const atom = await service.get('/pets()', { Accept: 'application/atom+xml' });
    expect(atom.body).toContain('ServerBusy');
    expect(atom.body).toMatch(/^<\?xml/);
  });

  it('of the front end has the form of front end errors', async () => {
    await emulator.faults.add({ fault: { kind: 'error', status: 403, code: 'AuthenticationFailed' } });
    const answer = await service.get('/pets()');
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([403, 'AuthenticationFailed']);
    expect(answer.reason).toMatch(/^Server failed to authenticate the request/);
  });

  it('writes nothing, and is answered before an error that the store would find', async () => {
    await emulator.faults.add({
      match: { operation: 'InsertEntity' },
      fault: { kind: 'error', code: 'InternalError' },
    });
    const body = JSON.stringify({ PartitionKey: 'p', RowKey: 'new' });
    expect((await service.send({ method: 'POST', path: '/pets', body })).status).toBe(500);
    const table = await service.send({ method: 'POST', path: '/none', body });
    expect(table.status).toBe(500);
    await emulator.faults.clear();
    expect((await service.get("/pets(PartitionKey='p',RowKey='new')")).status).toBe(404);
  });

  it('strikes requests that would be refused anyway; a rule without a match strikes all requests', async () => {
    await emulator.faults.add({ fault: { kind: 'error', code: 'ServerBusy' } });
    expect((await service.get('/pets()', { Authorization: undefined })).status).toBe(503);
    expect((await service.get('/pets()', { 'x-ms-version': 'none' })).status).toBe(503);
    expect(
      (await service.send({ method: 'OPTIONS', path: '/pets', headers: { Authorization: undefined } })).status,
    ).toBe(503);
  });

  it('by a rule about a credential does not strike a request without one', async () => {
    await emulator.faults.add({ match: { credential: '*' }, fault: { kind: 'error', code: 'ServerBusy' } });
    expect((await service.get('/pets()', { Authorization: undefined })).status).not.toBe(503);
    expect((await service.get('/pets()')).status).toBe(503);
  });
});

describe('A batch', () => {
  const insert = (rowKey: string) => ({
    method: 'POST',
    url: `${service.base}/pets`,
    headers: { Prefer: 'return-no-content' },
    body: JSON.stringify({ PartitionKey: 'p', RowKey: rowKey }),
  });
  const send = (...rowKeys: string[]) =>
    service.send({
      method: 'POST',
      path: '/$batch',
      headers: { 'Content-Type': batchType },
      body: changesetBody(rowKeys.map(insert)),
    });

  it('that the store refuses keeps that error, and a fault that it did not reach is not a hit', async () => {
    await emulator.faults.add({
      match: { operation: 'EntityGroupTransaction' },
      fault: { kind: 'timeout', at: 'afterCommit' },
    });
    const answer = await send('new', 'first');
    expect(answer.status).toBe(202);
    expect(answer.body).toContain('EntityAlreadyExists');
    expect(answer.header('x-emulator-fault')).toBeUndefined();
    expect(await emulator.faults.list()).toMatchObject([{ hits: 0, matched: 1 }]);
  });

  it('that is struck at one of its operations names the rule in the headers of the batch response', async () => {
    const name = 'second';
    await emulator.faults.add({ name, match: { rowKey: 'b2' }, fault: { kind: 'error', code: 'InternalError' } });
    const answer = await send('b1', 'b2', 'b3');
    expect([answer.status, answer.header('x-emulator-fault')]).toEqual([202, name]);
    expect(answer.body).toMatch(/HTTP\/1\.1 500 [\s\S]*"value":"1:/);
    expect(await emulator.faults.list()).toMatchObject([{ hits: 1, matched: 1 }]);
  });

  it('is matched by its table and its partition, and has no row key', async () => {
    const fault = { kind: 'error', code: 'ServerBusy' } as const;
    await emulator.faults.add({ match: { operation: 'Entity*', table: 'PETS', partitionKey: 'p' }, fault });
    expect((await send('c1')).status).toBe(503);
    await emulator.faults.clear();
    await emulator.faults.add({ match: { operation: 'EntityGroup*', rowKey: '*' }, fault });
    expect((await send('c2')).status).toBe(202);
  });
});
