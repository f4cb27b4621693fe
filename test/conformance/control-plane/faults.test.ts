// GET, POST and DELETE /_emulator/faults. The tests in ../faults show what the faults do.

import { afterEach, describe, expect, it } from 'vitest';
import type { FaultRuleReport } from '../../../src/faults/fault-rule.ts';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const service = await startService({ faultSeed: 7 });
const path = '/_emulator/faults';
const busy = { fault: { kind: 'error', code: 'ServerBusy' } };

const add = (body: object | string): Promise<ControlAnswer> => ask(service.origin, { path, body });
const remove = (id = ''): Promise<ControlAnswer> =>
  ask(service.origin, { method: 'DELETE', path: id === '' ? path : `${path}/${id}` });

async function list(): Promise<readonly FaultRuleReport[]> {
  const { status, json } = await ask(service.origin, { method: 'GET', path });
  expect(status).toBe(200);
  expect(json).toMatchObject({ seed: 7 });
  return (json as { rules: readonly FaultRuleReport[] }).rules;
}

afterEach(async () => {
  await remove();
});

describe('Rules of faults', () => {
  it('do not exist at first', async () => {
    expect(await list()).toEqual([]);
  });

  it('are added one by one, or as a list, and listed as they were given', async () => {
    const one = await add({ name: 'a', ...busy });
    expect([one.status, Object.keys(one.json as object)]).toEqual([201, ['id', 'ids']]);
    const several = await add([{ match: { table: 'x*' }, when: { nth: 2 }, times: 3, ...busy }, busy]);
    expect(several.status).toBe(201);
    const { id } = one.json as { id: string };
    const { ids } = several.json as { ids: string[] };
    expect(ids).toHaveLength(2);
    expect(await list()).toEqual([
      { id, name: 'a', ...busy, hits: 0, matched: 0 },
      { id: ids[0], match: { table: 'x*' }, when: { nth: 2 }, times: 3, ...busy, hits: 0, matched: 0 },
      { id: ids[1], ...busy, hits: 0, matched: 0 },
    ]);
  });

  it('are removed by their ids, and an unknown id is 404', async () => {
    const { id } = (await add(busy)).json as { id: string };
    expect((await remove(id)).json).toEqual({ id });
    const again = await remove(id);
    expect([again.status, codeOf(again)]).toEqual([404, 'FaultNotFound']);
    expect(await list()).toEqual([]);
  });

  it('are cleared', async () => {
    await add([busy, busy]);
    expect((await remove()).json).toEqual({ removed: 2 });
    expect((await remove()).json).toEqual({ removed: 0 });
    expect(await list()).toEqual([]);
  });

  it('count the requests that they match and strike, and start at zero after they are cleared', async () => {
    await add({ match: { operation: 'QueryTables' }, when: { nth: 2 }, ...busy });
    const statuses = [];
    for (let request = 0; request < 3; request++) statuses.push((await service.get('/Tables')).status);
    expect(statuses).toEqual([200, 503, 200]);
    expect(await list()).toMatchObject([{ hits: 1, matched: 3 }]);
    await remove();
    await add({ match: { operation: 'QueryTables' }, when: { nth: 2 }, ...busy });
    expect(await list()).toMatchObject([{ hits: 0, matched: 0 }]);
    expect([(await service.get('/Tables')).status, (await service.get('/Tables')).status]).toEqual([200, 503]);
  });

  it.each<[string, object | string, string]>([
    ['an unknown member', { ...busy, retries: 1 }, '"retries"'],
    ['an unknown operation', { match: { operation: 'GetBlob' }, ...busy }, '"match.operation"'],
    ['an unknown code', { fault: { kind: 'error', code: 'Nope' } }, '"fault.code"'],
    ['an unknown kind', { fault: { kind: 'nope' } }, '"fault.kind"'],
    ['a status of another code', { fault: { kind: 'error', code: 'ServerBusy', status: 500 } }, '"fault.status"'],
    [
      'afterCommit on a read',
      { match: { operation: 'GetEntity' }, fault: { kind: 'hang', at: 'afterCommit' } },
      '"fault.at"',
    ],
    ['a negative time', { fault: { kind: 'delay', ms: -5 } }, '"fault.ms"'],
    ['a list with one that is wrong', [busy, { fault: { kind: 'delay', ms: -5 } }], '"[1].fault.ms"'],
    ['a list that is too long', Array.from({ length: 101 }, () => busy), '100'],
    ['a text', '"ServerBusy"', 'object'],
    ['no JSON', '{', 'JSON'],
  ])('are refused with the name of the field, and nothing is changed: %s', async (_, body, field) => {
    const answer = await add(body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toContain(field);
    expect(await list()).toEqual([]);
  });

  it('are limited to 100', async () => {
    expect((await add(Array.from({ length: 100 }, () => busy))).status).toBe(201);
    expect(messageOf(await add(busy))).toContain('at most 100 rules');
    expect(await list()).toHaveLength(100);
  });

  it('are refused if the body is larger than 1 MiB', async () => {
    const answer = await add(JSON.stringify({ name: 'x'.repeat(1_100_000), ...busy }));
    expect([answer.status, codeOf(answer)]).toEqual([413, 'RequestBodyTooLarge']);
  });
});
