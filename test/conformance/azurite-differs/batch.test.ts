import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import {
  answersIn,
  batchBody,
  batchType,
  callsOn,
  changesetBody,
  codeOf,
  commit,
  expectFailure,
  type InnerCall,
  outcomesIn,
  requestPart,
  rowsOf,
  sendBatch,
  singleIn,
} from '../../support/batch-requests.ts';
import { expectRefusal, refusal } from '../../support/expect-refusal.ts';
import { serviceAt, startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';

const service = await startService();
const { base } = service;
let tables = 0;

async function freshTable() {
  const table = `batch${tables++}`;
  await service.createTable(table);
  return { table, calls: callsOn(base, table) };
}

describe('A changeset', () => {
  it('over two partitions is refused, and writes to neither', async () => {
    const { table, calls } = await freshTable();
    const answer = await sendBatch(
      service,
      changesetBody([calls.insert('r', { PartitionKey: 'pa' }), calls.insert('r', { PartitionKey: 'pb' })]),
    );
    expectFailure(answer, refusal('CommandsInBatchActOnDifferentPartitions'), {
      prefix: '1:',
      preference: 'return-no-content',
    });
    expect(await rowsOf(service, table)).toEqual({});
  });

  it('over two tables is refused, and writes to neither', async () => {
    const [one, two] = [await freshTable(), await freshTable()];
    await service.insert(one.table, { RowKey: 'taken' });
    const writes = [one.calls.insert('a'), two.calls.insert('b'), one.calls.insert('taken')];
    expect(outcomesIn(await sendBatch(service, changesetBody(writes)))).toEqual([
      '400 CommandsInBatchActOnDifferentPartitions',
    ]);
    expect([await rowsOf(service, one.table), await rowsOf(service, two.table)]).toEqual([{ taken: null }, {}]);
  });

  it('without operations is answered 202 with an empty changeset', async () => {
    const answer = await sendBatch(service, changesetBody([]));
    expect(answersIn(answer)).toEqual([]);
    expect(answer.body).toMatch(/\r\n--changesetresponse_[0-9a-f-]{36}--\r\n--batchresponse_[0-9a-f-]{36}--\r\n$/);
  });

  it('may contain JSON over several lines', async () => {
    const { table, calls } = await freshTable();
    const body = JSON.stringify({ PartitionKey: 'p', RowKey: 'a', n: 1 }, null, 2).replaceAll('\n', '\r\n');
    expect((await commit(service, [{ ...calls.insert('a'), body }])).map(({ status }) => status)).toEqual([204]);
    expect(await rowsOf(service, table)).toEqual({ a: 1 });
  });

  it('answers an insert with the entity when Prefer asks for the content', async () => {
    const { calls } = await freshTable();
    const [answer] = await commit(service, [calls.insert('a', { n: 7 }, { Prefer: 'return-content' })]);
    expect(answer?.status).toBe(201);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ PartitionKey: 'p', RowKey: 'a', n: 7 });
  });

  it('refuses an entity of 300 properties, and writes nothing', async () => {
    const { table, calls } = await freshTable();
    const members = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, index]));
    const answers = await commit(service, [calls.insert('a'), calls.insert('b', members)]);
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual([[400, 'TooManyProperties']]);
    expect(await rowsOf(service, table)).toEqual({});
  });
});

describe('A query in a batch', () => {
  it('is refused together with another query', async () => {
    const { table, calls } = await freshTable();
    await service.insert(table, { RowKey: 'a' });
    const get = requestPart(calls.get('a'));
    expectRefusal(await sendBatch(service, batchBody([get, get])), refusal('InvalidInput'));
  });

  it('gets a complete boundary, an address of this server, and headers separate from the body', async () => {
    const { table, calls } = await freshTable();
    await service.insert(table, { RowKey: 'a', n: 1 });
    const answer = singleIn(await sendBatch(service, batchBody([requestPart(calls.get('a'))])));
    expect(answer.header('ETag')).toMatch(/^W\/"datetime'[^']+'"$/);
    expect(JSON.parse(answer.body)).toMatchObject({ 'odata.metadata': `${base}/$metadata#${table}/@Element`, n: 1 });
  });
});

describe('A batch', () => {
  it.each(['myboundary123', 'x', 'changeset_b1', "it's"])('may have any boundary: %s', async (boundary) => {
    const { calls } = await freshTable();
    const body = changesetBody([calls.insert('a')]).replaceAll('batch_a', boundary);
    const type = batchType.replace('batch_a', boundary);
    expect(outcomesIn(await sendBatch(service, body, { 'Content-Type': type }))).toEqual(['204 No Content']);
  });

  it('is accepted in host style', async () => {
    const { table } = await freshTable();
    const host = `devstoreaccount1.table.localhost:${new URL(service.origin).port}`;
    const body = changesetBody([callsOn(`http://${host}`, table).insert('a', { n: 1 })]);
    const answer = await sendBatch(service.with({ prefix: '' }), body, { Host: host });
    expect(outcomesIn(answer)).toEqual(['204 No Content']);
    expect(await rowsOf(service, table)).toEqual({ a: 1 });
  });
});

// Azure does not allow such an account name. An emulator account with such a name supports batches too.
const hyphenated = await startEmulator({ accounts: [{ name: 'my-acct', keys: [developmentKey] }] });
const hyphenatedService = serviceAt(hyphenated.url, () => hyphenated.close());

describe('An account named with a hyphen', () => {
  it('supports batches', async () => {
    const client = hyphenatedService.with({ prefix: '/my-acct', account: 'my-acct' });
    await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"pets"}' });
    const body = changesetBody([callsOn(`${hyphenated.url}/my-acct`, 'pets').insert('a', { n: 1 })]);
    expect(outcomesIn(await sendBatch(client, body))).toEqual(['204 No Content']);
    expect(await rowsOf(client, 'pets')).toEqual({ a: 1 });
  });
});

describe('Azurite and Tanzanite', () => {
  it('refuse 101 operations, 5 MB and an entity twice', async () => {
    const { table, calls } = await freshTable();
    const send = (writes: readonly InnerCall[]) => sendBatch(service, changesetBody(writes));
    const many = Array.from({ length: 101 }, (_, index) => calls.insert(`r${index}`));
    expect(outcomesIn(await send(many))).toEqual(['400 InvalidInput']);
    expect((await send([calls.insert('a', { text: 'x'.repeat(5_000_000) })])).status).toBe(413);
    expect(outcomesIn(await send([calls.insert('a'), calls.put('a')]))).toEqual(['400 InvalidDuplicateRow']);
    expect(await rowsOf(service, table)).toEqual({});
  });

  it('roll back a batch that fails, and refuse a stale ETag', async () => {
    const { table, calls } = await freshTable();
    await service.insert(table, { RowKey: 'taken', n: 1 });
    const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;
    const failures = [calls.insert('taken'), calls.put('taken', {}, { 'If-Match': stale })];
    const outcomes = [];
    for (const failure of failures) {
      outcomes.push(...outcomesIn(await sendBatch(service, changesetBody([calls.insert('a'), failure]))));
    }
    expect(outcomes).toEqual(['409 EntityAlreadyExists', '412 UpdateConditionNotSatisfied']);
    expect(await rowsOf(service, table)).toEqual({ taken: 1 });
  });

  it('carry out forty batches in parallel', async () => {
    const { table, calls } = await freshTable();
    const batches = Array.from({ length: 40 }, (_, n) =>
      commit(service, [calls.insert(`a${n}`), calls.insert(`b${n}`)]),
    );
    expect((await Promise.all(batches)).filter((answers) => answers.length !== 2)).toEqual([]);
    expect(Object.keys(await rowsOf(service, table))).toHaveLength(80);
  });
});
