// Rules about writes. For each rule, one trace raises it, and a similar one does not.

import { describe, expect, it } from 'vitest';
import { startAdvised } from '../../support/advised.ts';
import { batchType, callsOn, changesetBody } from '../../support/batch-requests.ts';

const app = await startAdvised();
const rows = (count: number, members: object = { n: 1 }) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, { ...members }]));
const pad = (at: number): string => String(at).padStart(6, '0');
for (const table of ['Pets', 'Lines', 'Orders', 'Other']) await app.create(table);

describe('single-writes', () => {
  it('is raised by twenty entities of a partition, one after the other', async () => {
    for (let at = 0; at < 20; at++) await app.insert('Lines', ['order-1', pad(at)]);
    expect(await app.raised()).toEqual(['single-writes Lines']);
    expect(await app.finding('single-writes')).toMatchObject({ count: 20, cost: { roundTrips: 19, transactions: 19 } });
  });

  it('is not raised by nineteen entities, by separate partitions, with pauses, nor by parallel writes', async () => {
    for (let at = 0; at < 19; at++) await app.insert('Lines', ['order-2', pad(at)]);
    for (let at = 0; at < 20; at++) await app.insert('Lines', [`order-3-${at}`, '']);
    for (let at = 0; at < 20; at++) {
      await app.insert('Lines', ['order-4', pad(at)]);
      app.time.advance(300);
    }
    await app.transact('Lines', 'order-5', rows(50));
    expect(await app.raised()).toEqual([]);
  });
});

describe('small-batches', () => {
  it('is raised by many small transactions to one partition', async () => {
    for (let at = 0; at < 20; at++) await app.transact('Lines', 'import', { [`a${at}`]: {}, [`b${at}`]: {} });
    expect(await app.raised()).toEqual(['small-batches Lines']);
  });

  it('is not raised by pairs in separate partitions, nor by full transactions', async () => {
    for (let at = 0; at < 20; at++) await app.transact('Lines', `pair-${at}`, { a: {}, b: {} });
    for (let at = 0; at < 20; at++) await app.transact('Lines', 'full', rows(10));
    expect(await app.raised()).toEqual([]);
  });
});

describe('scattered-group', () => {
  const group = async (): Promise<void> => {
    for (let at = 0; at < 5; at++) await app.transact('Orders', `order-${at}`, rows(4));
  };

  it('is raised by a client that writes each entity into its own partition, and writes groups elsewhere', async () => {
    await group();
    for (let at = 0; at < 50; at++) await app.insert('Other', [`id-${(at * 37) % 50}`, '']);
    expect(await app.raised()).toEqual(['scattered-group Other']);
  });

  it('is not raised by entities written one at a time, nor without groups elsewhere', async () => {
    await group();
    for (let at = 0; at < 50; at++) {
      await app.query('Pets', "PartitionKey eq 'none'");
      await app.insert('Other', [`one-${(at * 37) % 50}`, '']);
    }
    const other = app.app('another');
    for (let at = 0; at < 50; at++) await other.insert('Lines', [`id-${(at * 37) % 50}`, '']);
    expect(await app.raised()).toEqual([]);
  });
});

describe('append-only-keys and prepend-only-keys', () => {
  it('are raised by new partitions that lie beyond all earlier ones', async () => {
    for (let at = 0; at < 200; at++) await app.insert('Lines', [`t${pad(at)}`, '']);
    for (let at = 999; at > 799; at--) await app.insert('Orders', [`t${pad(at)}`, '']);
    expect(await app.raised()).toEqual(['append-only-keys Lines', 'prepend-only-keys Orders']);
  });

  it('are not raised by 199 partitions, by time in the RowKey, nor by other orders', async () => {
    for (let at = 0; at < 199; at++) await app.insert('Lines', [`u${pad(at)}`, '']);
    for (let at = 0; at < 250; at++) {
      await app.insert('Orders', [`p${at % 7}`, `t${pad(at)}`]);
      app.time.advance(300);
    }
    for (let at = 0; at < 250; at++) await app.insert('Other', [`v${pad((at * 101) % 250)}`, '']);
    expect(await app.raised()).toEqual([]);
  });
});

describe('group-across-tables', () => {
  it('is raised by one PartitionKey written to several tables together', async () => {
    for (let at = 0; at < 5; at++) {
      await app.insert('Orders', [`g${at}`, 'order']);
      await app.insert('Lines', [`g${at}`, 'line']);
    }
    expect(await app.raised()).toEqual(['group-across-tables Lines']);
    expect((await app.finding('group-across-tables'))?.evidence).toMatchObject({ tables: ['Lines', 'Orders'] });
  });

  it('is not raised by a program that loads one table after another', async () => {
    for (let round = 0; round < 3; round++) {
      for (const table of ['Orders', 'Lines']) {
        for (let at = 0; at < 8; at++) await app.put(table, [`f${at}`, `${table}${round}`]);
      }
    }
    expect(await app.raised()).not.toContain('group-across-tables Lines');
  });

  it('is raised by several groups at the same time', async () => {
    for (let at = 0; at < 9; at += 3) {
      for (const table of ['Orders', 'Lines']) {
        for (let of = at; of < at + 3; of++) await app.put(table, [`t${of}`, table]);
      }
    }
    expect(await app.raised()).toContain('group-across-tables Lines');
  });

  it('is not raised by four groups, nor with pauses between them', async () => {
    for (let at = 0; at < 8; at++) {
      await app.insert('Orders', [`h${at}`, 'order']);
      if (at > 3) app.time.advance(2_000);
      await app.insert('Lines', [`h${at}`, 'line']);
    }
    expect(await app.raised()).toEqual([]);
  });
});

describe('read-before-write', () => {
  it('is raised by five writes of entities that were just read, whether the reads found them or not', async () => {
    for (let at = 0; at < 5; at++) {
      await app.get('Pets', ['dog', `rex-${at}`]);
      await app.insert('Pets', ['dog', `rex-${at}`]);
    }
    expect(await app.raised()).toEqual(['read-before-write Pets']);
  });

  it('is not raised by four writes, by writes with the ETag that was read, nor by writes a second later', async () => {
    for (let at = 0; at < 5; at++) {
      const answer = await app.get('Pets', ['dog', `rex-${at}`]);
      await app.put('Pets', ['dog', `rex-${at}`], {}, answer.header('ETag'));
    }
    app.time.advance(2_000);
    for (let at = 0; at < 5; at++) {
      await app.get('Pets', ['dog', `tom-${at}`]);
      if (at === 0) app.time.advance(1_500);
      await app.insert('Pets', ['dog', `tom-${at}`]);
    }
    expect(await app.raised()).toEqual([]);
  });
});

describe('read-after-write', () => {
  it('is raised by five reads of what was just written', async () => {
    for (let at = 0; at < 5; at++) {
      await app.put('Pets', ['cat', `tom-${at}`]);
      await app.get('Pets', ['cat', `tom-${at}`]);
    }
    expect(await app.raised()).toEqual(['read-after-write Pets']);
  });

  it('is not raised by reads a little later, by another client, nor after a merge', async () => {
    const other = app.app('another');
    for (let at = 0; at < 8; at++) {
      await app.put('Pets', ['cat', `tom-${at}`]);
      if (at > 3) app.time.advance(60);
      await app.get('Pets', ['cat', `tom-${at}`]);
      await app.put('Pets', ['cat', `leo-${at}`]);
      await other.get('Pets', ['cat', `leo-${at}`]);
      await app.merge('Pets', ['cat', `leo-${at}`]);
      await app.get('Pets', ['cat', `leo-${at}`]);
    }
    expect(await app.raised()).toEqual([]);
  });
});

describe('replace-for-merge', () => {
  const person = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 };

  it('is raised by replacements that change one property of six', async () => {
    await app.put('Pets', ['p', 'r'], person);
    for (let at = 0; at < 5; at++) await app.put('Pets', ['p', 'r'], { ...person, f: at });
    expect(await app.raised()).toEqual(['replace-for-merge Pets']);
  });

  it('is raised by replacements that drop properties', async () => {
    for (let at = 0; at < 5; at++) {
      await app.put('Pets', ['p', `s${at}`], person);
      await app.put('Pets', ['p', `s${at}`], { a: 9 });
    }
    expect((await app.finding('replace-for-merge'))?.evidence).toMatchObject({ dropped: 5 });
  });

  it('is not raised by replacements that change every property, by merges, nor by four replacements', async () => {
    await app.put('Pets', ['p', 't'], person);
    for (let at = 10; at < 20; at++) await app.put('Pets', ['p', 't'], { a: at, b: at, c: at, d: at, e: at, f: at });
    for (let at = 0; at < 4; at++) await app.put('Pets', ['p', 't'], { a: 19, b: 19, c: 19, d: 19, e: 19, f: at });
    for (let at = 0; at < 9; at++) await app.merge('Pets', ['p', 't'], { f: at });
    expect(await app.raised()).toEqual([]);
  });
});

describe('lost-update', () => {
  const one = app.app('one');
  const two = app.app('two');

  it('is raised by two writers that read, and then both write unconditionally', async () => {
    await app.put('Pets', ['stock', 'a'], { count: 5 });
    for (const writer of [one, two]) await writer.get('Pets', ['stock', 'a']);
    for (const writer of [one, two]) await writer.put('Pets', ['stock', 'a'], { count: 4 }, '*');
    expect(await app.raised()).toEqual(['lost-update Pets']);
    expect(await app.finding('lost-update')).toMatchObject({ severity: 'error', count: 1 });
  });

  it('is not raised if a write with an ETag gets 412 and the client reads again', async () => {
    const etags = [];
    for (const writer of [one, two]) etags.push((await writer.get('Pets', ['stock', 'a'])).header('ETag'));
    await one.put('Pets', ['stock', 'a'], { count: 3 }, etags[0]);
    expect((await two.put('Pets', ['stock', 'a'], { count: 3 }, etags[1])).status).toBe(412);
    const again = await two.get('Pets', ['stock', 'a']);
    await two.put('Pets', ['stock', 'a'], { count: 2 }, again.header('ETag'));
    expect(await app.raised()).toEqual([]);
  });

  it('is not raised by merges of different properties, nor by a client that never reads', async () => {
    for (const writer of [one, two]) await writer.get('Pets', ['stock', 'a']);
    await one.merge('Pets', ['stock', 'a'], { colour: 'red' }, '*');
    await two.merge('Pets', ['stock', 'a'], { weight: 2 }, '*');
    await one.get('Pets', ['stock', 'a']);
    await app.app('third').put('Pets', ['stock', 'a'], { count: 1 }, '*');
    await one.put('Pets', ['stock', 'a'], { count: 0 }, '*');
    expect(await app.raised()).toEqual([]);
  });
});

describe('hot-entity', () => {
  it('is raised by conditional writes of several connections that get 412', async () => {
    const stale = (await app.put('Pets', ['hot', 'a'])).header('ETag');
    await app.put('Pets', ['hot', 'a']);
    const [one, two] = [app.app('one'), app.app('two')];
    for (let at = 0; at < 5; at++) {
      await one.put('Pets', ['hot', 'a'], { at }, stale);
      await two.put('Pets', ['hot', 'a'], { at }, stale);
      app.time.advance(1_000);
    }
    expect(await app.raised()).toEqual(['hot-entity Pets']);
  });

  it('is raised by an entity that takes most writes of a busy table', async () => {
    for (let at = 0; at < 200; at++) {
      await app.merge('Pets', ['hot', 'counter'], { at });
      if (at % 10 === 0) await app.merge('Pets', ['hot', `other-${at}`], { at });
    }
    expect(await app.raised()).toContain('hot-entity Pets');
  });

  it('is not raised by nine conflicts, nor by writes that are spread over many entities', async () => {
    const stale = (await app.put('Pets', ['hot', 'b'])).header('ETag');
    await app.put('Pets', ['hot', 'b']);
    for (let at = 0; at < 9; at++) {
      await app.put('Pets', ['hot', 'b'], { at }, stale);
      app.time.advance(1_000);
    }
    for (let at = 0; at < 200; at++) await app.merge('Lines', [`p${at % 9}`, 'r'], { at });
    expect(await app.raised()).toEqual([]);
  });
});

describe('log-in-table', () => {
  const log = (count: number, day: string) =>
    Promise.all(
      Array.from({ length: count }, (_, at) => app.insert('Other', [`2024-06-01T1${at % 10}`, `${day}${at}`])),
    );

  it('is raised by inserts with times as keys that are read by time', async () => {
    await log(100, 'a');
    await app.query('Other', "PartitionKey ge '2024-06-01T12' and PartitionKey lt '2024-06-01T13'");
    expect(await app.raised()).toEqual(['log-in-table Other']);
  });

  it('is not raised by fewer inserts, by updates, nor by entities that are not read by time', async () => {
    await log(99, 'b');
    await app.query('Other', "PartitionKey ge '2024-06-01T12'");
    for (let at = 0; at < 100; at++) await app.insert('Lines', [`2024-07-01T1${at % 10}`, `c${at % 100}`]);
    expect(await app.raised()).toEqual([]);
  });
});

describe('high-volume-delete', () => {
  const erase = async (from: number, count: number): Promise<void> => {
    await app.query('Orders', "PartitionKey eq 'old'");
    for (let at = from; at < from + count; at++) {
      await app.remove('Orders', ['old', pad(at)]);
      app.time.advance(300);
    }
  };

  it('is raised by over a hundred single deletes after a query', async () => {
    await app.fill('Orders', 'old', 250);
    await erase(0, 101);
    expect(await app.raised()).toEqual(['high-volume-delete Orders']);
  });

  it('is not raised by a hundred deletes, nor without a query', async () => {
    await erase(101, 100);
    await app.fill('Lines', 'old', 120);
    for (let at = 0; at < 120; at++) {
      await app.remove('Lines', ['old', pad(at)]);
      app.time.advance(300);
    }
    expect(await app.raised()).toEqual([]);
  });
});

describe('percent-in-key', () => {
  it('is raised by a key with a percent sign in an address', async () => {
    await app.put('Pets', ['a%2Fb', 'r']);
    expect(await app.raised()).toEqual(['percent-in-key Pets']);
    expect((await app.finding('percent-in-key'))?.evidence).toMatchObject({ partitionKey: "'a%2Fb'" });
  });

  it('is not raised by inserts, queries and transactions', async () => {
    await app.insert('Pets', ['c%2Fd', 'r']);
    await app.query('Pets', "PartitionKey eq 'c%2Fd' and RowKey ge 'a'");
    await app.transact('Pets', 'e', { 'f%g': {} });
    expect(await app.raised()).toEqual([]);
  });
});

describe('near-limit', () => {
  const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`P${at}`, at]));
  const limits = async () => {
    const { findings } = await app.report();
    return findings
      .filter(({ rule }) => rule === 'near-limit')
      .map(({ evidence }) => [evidence['limit'], evidence['others']]);
  };

  it.each<[string, () => Promise<unknown>]>([
    ['properties', () => app.put('Pets', ['p', 'wide'], wide(201))],
    ['valueBytes', () => app.put('Pets', ['p', 'long'], { text: 'x'.repeat(24_577) })],
    ['keyChars', () => app.put('Pets', ['p', 'k'.repeat(769)])],
    ['comparisons', () => app.query('Pets', Array.from({ length: 13 }, (_, at) => `A ne ${at}`).join(' and '))],
    [
      'transactionBytes',
      () =>
        app.transact('Pets', 'big', rows(60, { a: 'x'.repeat(20_000), b: 'x'.repeat(20_000), c: 'x'.repeat(20_000) })),
    ],
  ])('is raised near the limit of %s', async (limit, send) => {
    await send();
    expect(await limits()).toEqual([[limit, undefined]]);
  });

  it('is raised near the limit of entityBytes', async () => {
    const text = 'x'.repeat(24_000);
    await app.put('Pets', ['p', 'large'], Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`T${at}`, text])));
    expect(await limits()).toEqual([['entityBytes', undefined]]);
  });

  it('is not raised further below the limits', async () => {
    await app.put('Pets', ['p', 'wide'], wide(200));
    await app.put('Pets', ['p', 'long'], { text: 'x'.repeat(24_576) });
    await app.put('Pets', ['p', 'k'.repeat(768)]);
    await app.query('Pets', Array.from({ length: 12 }, (_, at) => `A ne ${at}`).join(' and '));
    await app.transact('Pets', 'small', rows(50, { a: 'x'.repeat(20_000), b: 'x'.repeat(20_000) }));
    expect(await app.raised()).toEqual([]);
  });
});

describe('lone-partition', () => {
  it('is raised by over ten thousand entities in the only partition of a table', async () => {
    await app.create('Lone');
    await app.create('Two');
    await app.fill('Lone', 'all', 10_500);
    await app.fill('Two', 'all', 10_500);
    await app.insert('Two', ['another', 'r']);
    await app.fill('Other', 'all', 500);
    expect(await app.raised()).toEqual(['lone-partition Lone']);
    const { evidence } = (await app.finding('lone-partition')) ?? {};
    expect(Number(evidence?.['entities'])).toBeGreaterThan(10_000);
  });

  it('is not raised by ten thousand writes of few entities', async () => {
    await app.create('Reference');
    for (let time = 0; time < 110; time++) await app.fill('Reference', 'all', 100);
    expect(await app.raised()).not.toContain('lone-partition Reference');
  });
});

describe('malformed-batch', () => {
  const send = (body: string) =>
    app.client.send({ method: 'POST', path: '/$batch', headers: { 'Content-Type': batchType }, body });
  const pets = callsOn('/devstoreaccount1', 'Pets');
  const body = changesetBody([pets.put('a'), pets.put('b')]);

  it.each([
    [
      'of another boundary',
      body.replaceAll('batch_a', 'batch_z'),
      '–',
      'no request in the body is delimited with the boundary from Content-Type',
    ],
    ['of nothing', '', '–', 'no request in the body is delimited with the boundary from Content-Type'],
    ['without an end', body.replace('--batch_a--\r\n', ''), 'Pets', 'the last delimiter is missing'],
  ])('is raised by a batch %s', async (_, malformed, table, fault) => {
    expect((await send(malformed)).status).toBe(202);
    expect(await app.raised()).toEqual([`malformed-batch ${table}`]);
    expect(await app.finding('malformed-batch')).toMatchObject({ count: 1, evidence: { fault } });
  });

  it('is not raised by a last delimiter without hyphens, by an empty changeset, nor by a refused batch', async () => {
    await send(body.replace('--batch_a--\r\n', '--batch_a\r\n'));
    await send(changesetBody([]));
    await send(body.replace('--batch_a--\r\n', '').replace('{}', '{'));
    expect(await app.raised()).toEqual([]);
  });
});
