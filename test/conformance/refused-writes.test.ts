// Writers send many requests, and the emulator throttles many of these requests. A model carries out the accepted
// writes. The stored entities must equal those of the model, property by property. A failure message contains the seed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { batchType, changesetBody, type InnerCall } from '../support/batch-requests.ts';
import { keepsData, type Service, serviceAt } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';
import { testSeed as seed } from '../support/test-seed.ts';

const location = mkdtempSync(join(tmpdir(), 'tanzanite-refused-'));
afterAll(() => rmSync(location, { recursive: true, force: true }));

const partitions = ['a', 'b', 'c', 'd'];
const rows = ['1', '2', '3', '4', '5', '6'];
const writesOfEach = 150;

type Members = Readonly<Record<string, unknown>>;
/** The entities of a partition, by row key. */
type Model = Map<string, Members>;

/** Random numbers from 0 to 1 for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Write {
  readonly call: (base: string) => InnerCall;
  /** The effect of an accepted write on the model. Undefined if the service refuses the write in this state. */
  readonly change: (model: Model) => Model | undefined;
}

function writeOf(partitionKey: string, random: () => number): Write {
  const rowKey = rows[Math.floor(random() * rows.length)] ?? '';
  const members = { n: Math.floor(random() * 1000), [random() < 0.5 ? 'x' : 'y']: random() < 0.5 };
  const url = (base: string): string => `${base}/writes(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
  const body = JSON.stringify(members);
  const kind = random();
  if (kind < 0.3) {
    const whole = JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey, ...members });
    return {
      call: (base) => ({ method: 'POST', url: `${base}/writes`, body: whole }),
      change: (model) => (model.has(rowKey) ? undefined : new Map(model).set(rowKey, members)),
    };
  }
  if (kind < 0.5) {
    return {
      call: (base) => ({ method: 'PUT', url: url(base), body }),
      change: (model) => new Map(model).set(rowKey, members),
    };
  }
  if (kind < 0.8) {
    return {
      call: (base) => ({ method: 'PATCH', url: url(base), body }),
      change: (model) => new Map(model).set(rowKey, { ...model.get(rowKey), ...members }),
    };
  }
  return {
    call: (base) => ({ method: 'DELETE', url: url(base), headers: { 'If-Match': '*' } }),
    change(model) {
      const left = new Map(model);
      return left.delete(rowKey) ? left : undefined;
    },
  };
}

/** Carries out a write, or several with different keys as a transaction. Returns the resulting entities. */
async function carryOut(service: Service, writes: readonly Write[], model: Model): Promise<[Model, number]> {
  const expected = writes.reduce<Model | undefined>((sum, { change }) => sum && change(sum), model);
  const answer = await send(service, writes);
  const isRefusedForLoad = answer.status === 503 || answer.status === 500;
  if (isRefusedForLoad) return [model, answer.status];
  const accepted = writes.length > 1 ? !/HTTP\/1\.1 4\d\d /.test(answer.body) : answer.status < 300;
  expect(accepted, `${answer.status} ${answer.body.slice(0, 300)}`).toBe(expected !== undefined);
  return [expected ?? model, answer.status];
}

async function send(service: Service, writes: readonly Write[]): Promise<WireAnswer> {
  const calls = writes.map(({ call }) => call(service.base));
  const [first] = calls;
  if (calls.length > 1) {
    return service.send({
      method: 'POST',
      path: '/$batch',
      headers: { 'Content-Type': batchType },
      body: changesetBody(calls),
    });
  }
  const { method, url, headers, body } = first as InnerCall;
  return service.send({
    method,
    path: `${url.slice(service.base.length)}?timeout=1`,
    ...(headers ? { headers } : {}),
    body,
  });
}

function distinct(writes: readonly Write[], base: string): Write[] {
  const keyOf = (write: Write): string => {
    const { url, body = '' } = write.call(base);
    return /RowKey='(\d)'/.exec(url)?.[1] ?? /"RowKey":"(\d)"/.exec(body)?.[1] ?? '';
  };
  return [...new Map(writes.map((write) => [keyOf(write), write])).values()];
}

async function writeOn(
  service: Service,
  partitionKey: string,
  seed: number,
): Promise<{ model: Model; refused: number }> {
  const random = randomOf(seed);
  let model: Model = new Map();
  let refused = 0;
  for (let write = 0; write < writesOfEach; write++) {
    const size = random() < 0.2 ? 2 + Math.floor(random() * 4) : 1;
    const writes = distinct(
      Array.from({ length: size }, () => writeOf(partitionKey, random)),
      service.base,
    );
    const [after, status] = await carryOut(service, writes, model);
    if (status >= 500) refused++;
    model = after;
  }
  return { model, refused };
}

async function contentsOf(service: Service, partitionKey: string): Promise<Model> {
  const filter = encodeURIComponent(`PartitionKey eq '${partitionKey}'`);
  const { body } = await service.get(`/writes()?$filter=${filter}`, { Accept: 'application/json;odata=nometadata' });
  return new Map(
    (JSON.parse(body).value as Members[]).map(({ PartitionKey: _key, RowKey, Timestamp: _time, ...members }) => [
      String(RowKey),
      members,
    ]),
  );
}

describe('A write that is throttled', () => {
  it.runIf(keepsData)('changes nothing', async () => {
    const capacity = { partitionTarget: 25, rangeTarget: 80, accountTarget: 60, queueLength: 1 };
    const emulator = await startEmulator({ location, throttle: 'enforce', capacity });
    const service = serviceAt(emulator.url, () => emulator.close());
    await service.createTable('writes');
    const outcomes = await Promise.all(partitions.map((partition, at) => writeOn(service, partition, seed + at)));
    await emulator.close();
    const refused = outcomes.reduce((sum, outcome) => sum + outcome.refused, 0);
    expect(refused, `seed ${seed}: the run met refusals`).toBeGreaterThan(20);
    const reopened = await startEmulator({ location, throttle: 'off' });
    const reader = serviceAt(reopened.url, () => reopened.close());
    for (const [at, partition] of partitions.entries()) {
      expect(await contentsOf(reader, partition), `seed ${seed}, partition ${partition}`).toEqual(outcomes[at]?.model);
    }
  });
});
