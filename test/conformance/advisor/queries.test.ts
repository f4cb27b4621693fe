// Rules about queries. For each rule, one trace raises it, and a similar one does not.

import { describe, expect, it } from 'vitest';
import { startAdvised } from '../../support/advised.ts';

const app = await startAdvised();
// 1,500 entities in two partitions. Few of the people are old.
for (const table of ['People', 'Small']) await app.create(table);
const person = (at: number) => ({ Age: at % 500, Email: `p${at}@example.com`, Team: `t${at % 3}` });
await app.fill('People', 'sales', 1200, person);
await app.fill('People', 'law', 300, person);
await app.fill('Small', 'p', 50, person);

describe('table-scan', () => {
  it('is raised by a filter on a property over a large table', async () => {
    await app.list('People', "Email eq 'p7@example.com'");
    expect(await app.raised()).toContain('table-scan People');
    expect(await app.finding('table-scan')).toMatchObject({
      severity: 'warning',
      evidence: { filter: "Email eq 'p7@example.com'", visited: 1500, returned: 2, plan: 'table scan' },
      cost: { visited: 1498 },
    });
  });

  it('is not raised by a query without a filter, nor on a small table', async () => {
    await app.list('People');
    await app.list('People', "PartitionKey ge 'a'");
    await app.list('People', 'Age ge 0');
    await app.list('Small', "Email eq 'p7@example.com'");
    expect(await app.raised()).toEqual([]);
  });
});

describe('row-key-only-filter', () => {
  it('is raised by a filter that names no PartitionKey', async () => {
    await app.list('People', "RowKey eq '000007'");
    expect(await app.raised()).toEqual(['low-density People', 'row-key-only-filter People']);
  });

  it('is not raised by a filter with PartitionKey, nor on a small table', async () => {
    await app.list('People', "PartitionKey ge 'a' and RowKey eq '000007'");
    await app.list('Small', "RowKey eq '000007'");
    expect(await app.raised()).not.toContain('row-key-only-filter People');
    expect(await app.raised()).not.toContain('row-key-only-filter Small');
  });
});

describe('partition-scan', () => {
  it('is raised by a filter on a property over a large partition', async () => {
    await app.list('People', "PartitionKey eq 'sales' and Age lt 250");
    expect(await app.raised()).toEqual(['partition-scan People']);
  });

  it('is not raised by a query for an entire partition, for a small one, nor for a range', async () => {
    await app.list('People', "PartitionKey eq 'sales'");
    await app.list('People', "PartitionKey eq 'law' and Age lt 100");
    await app.list('People', "PartitionKey eq 'sales' and RowKey ge '000000' and Age lt 250");
    expect(await app.raised()).toEqual([]);
  });
});

describe('or-of-keys', () => {
  it('is raised by a single `or` of RowKeys', async () => {
    await app.query('Small', "PartitionKey eq 'p' and (RowKey eq '000001' or RowKey eq '000002')");
    expect(await app.raised()).toEqual(['or-of-keys Small']);
  });

  it('is not raised by an `or` of another property inside a range', async () => {
    await app.query('Small', "PartitionKey eq 'p' and RowKey ge '000001' and (Age eq 1 or Age eq 2)");
    await app.query('Small', "PartitionKey eq 'p' and (RowKey ge '000001' or Age eq 2)");
    expect(await app.raised()).toEqual([]);
  });
});

describe('filter-without-point-read', () => {
  it('is raised by a filter that names only both keys', async () => {
    await app.query('Small', "PartitionKey eq 'p' and RowKey eq '000001'");
    expect(await app.raised()).toEqual(['filter-without-point-read Small']);
    expect((await app.finding('filter-without-point-read'))?.severity).toBe('note');
  });

  it('is not raised by Get Entity, nor by a filter with more conditions', async () => {
    await app.get('Small', ['p', '000001']);
    await app.query('Small', "PartitionKey eq 'p' and RowKey eq '000001' and Age eq 2");
    expect(await app.raised()).toEqual([]);
  });
});

describe('low-density', () => {
  it('is raised by a query that returns under 1 % of what it visits', async () => {
    await app.list('People', "PartitionKey eq 'sales' and RowKey ge '000000' and Age eq 7");
    expect(await app.raised()).toEqual(['low-density People']);
  });

  it('is not raised by a query that returns a fair part', async () => {
    await app.list('People', "PartitionKey eq 'sales' and RowKey ge '000000' and Age lt 10");
    expect(await app.raised()).toEqual([]);
  });
});

describe('repeated-property-scan', () => {
  it('names the property that is searched again and again', async () => {
    for (let at = 0; at < 10; at++)
      await app.query('People', `PartitionKey eq 'law' and Email eq 'p${at}@example.com'`);
    expect(await app.raised()).toEqual(['repeated-property-scan People']);
    expect((await app.finding('repeated-property-scan'))?.evidence).toMatchObject({ property: 'Email', scans: 10 });
  });

  it('is not raised by nine scans, nor by scans of few entities', async () => {
    for (let at = 0; at < 9; at++) await app.query('People', `PartitionKey eq 'law' and Email eq 'p${at}@example.com'`);
    for (let at = 0; at < 10; at++) await app.query('Small', `PartitionKey eq 'p' and Email eq 'p${at}@example.com'`);
    expect(await app.raised()).toEqual([]);
  });
});

describe('scan-to-modify', () => {
  it('is raised by a scan whose entities are then written', async () => {
    const found = await app.list('People', "PartitionKey eq 'law' and Age lt 5");
    for (const { RowKey } of found) await app.merge('People', ['law', String(RowKey)], { Seen: true }, '*');
    expect(await app.raised()).toEqual(['scan-to-modify People']);
    expect((await app.finding('scan-to-modify'))?.evidence).toMatchObject({ visited: 300, modified: 5 });
  });

  it('is not raised if the written entities were found by a range of keys, or by no query', async () => {
    await app.list('People', "PartitionKey eq 'law' and RowKey lt '000200' and Age lt 5");
    for (let at = 0; at < 5; at++) await app.merge('People', ['law', `00000${at}`], { Seen: true }, '*');
    app.time.advance(20_000);
    await app.list('People', "PartitionKey eq 'law' and Age lt 5");
    for (let at = 5; at < 10; at++) await app.merge('People', ['law', `00000${at}`], { Seen: true }, '*');
    expect(await app.raised()).toEqual([]);
  });
});

describe('chained-reads', () => {
  it('is raised by point reads, one by one, of keys that an answer contained', async () => {
    await app.create('Orders');
    await app.create('Products');
    await app.fill('Orders', 'c1', 8, (at) => ({ Product: `product-${at}` }));
    for (let at = 0; at < 8; at++) await app.insert('Products', [`product-${at}`, ''], { Price: at });
    await app.query('Orders', "PartitionKey eq 'c1'");
    for (let at = 0; at < 5; at++) await app.get('Products', [`product-${at}`, '']);
    expect(await app.raised()).toContain('chained-reads Orders');
  });

  it('is not raised by four reads, by keys from elsewhere, nor by much later reads', async () => {
    await app.query('Orders', "PartitionKey eq 'c1'");
    for (let at = 0; at < 4; at++) await app.get('Products', [`product-${at}`, '']);
    for (let at = 0; at < 5; at++) await app.get('Products', [`unknown-${at}`, '']);
    app.time.advance(6_000);
    for (let at = 0; at < 5; at++) await app.get('Products', [`product-${at}`, '']);
    expect(await app.raised()).toEqual([]);
  });
});

describe('chained-reads of equal RowKeys', () => {
  it('is not raised by reads of another partition, in the same table or another', async () => {
    await app.fill('Orders', 'c2', 8);
    await app.query('Orders', "PartitionKey eq 'c2'");
    for (const table of ['Orders', 'Products']) {
      for (let at = 0; at < 6; at++) await app.get(table, ['c3', String(at).padStart(6, '0')]);
    }
    expect(await app.raised()).not.toContain('chained-reads Orders');
  });

  it('is raised if an entity of the answer contains both keys, or the RowKey in a property', async () => {
    await app.fill('Orders', 'c4', 8, (at) => ({ Product: `id-${at}` }));
    await app.query('Orders', "PartitionKey eq 'c4'");
    for (let at = 0; at < 6; at++) await app.get('Products', ['products', `id-${at}`]);
    expect(await app.raised()).toContain('chained-reads Orders');
  });
});

describe('client-side-filter', () => {
  it('is raised by a client that reads the whole table three times', async () => {
    for (let time = 0; time < 3; time++) await app.list('People');
    expect(await app.raised()).toEqual(['client-side-filter People']);
  });

  it('is not raised by an export, by several clients, nor by a small table', async () => {
    for (let time = 0; time < 2; time++) await app.list('People');
    await app.app('another').list('People');
    for (let time = 0; time < 3; time++) await app.list('Small');
    expect(await app.raised()).toEqual([]);
  });
});

describe('missing-projection', () => {
  const wide = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`Property${at}`, at]));

  it('is raised by reads of wide entities without $select', async () => {
    await app.create('Wide');
    await app.insert('Wide', ['p', 'r'], wide);
    app.time.advance(100);
    for (let time = 0; time < 10; time++) await app.get('Wide', ['p', 'r']);
    expect(await app.raised()).toEqual(['missing-projection Wide']);
    expect((await app.finding('missing-projection'))?.evidence).toMatchObject({ properties: 30 });
  });

  it('is not raised with $select, nor by small entities', async () => {
    for (let time = 0; time < 10; time++) await app.query('Wide', "PartitionKey eq 'p'", { select: 'Property1' });
    for (let time = 0; time < 10; time++) await app.get('Small', ['p', '000001']);
    expect(await app.raised()).toEqual([]);
  });
});

describe('tiny-series-entities', () => {
  it('is raised by tiny entities that are always read as a range', async () => {
    await app.create('Load');
    await app.fill('Load', 'server-1', 24, (at) => ({ Load: at }));
    for (let time = 0; time < 5; time++) await app.query('Load', "PartitionKey eq 'server-1' and RowKey ge '000000'");
    expect(await app.raised()).toEqual(['tiny-series-entities Load']);
  });

  it('is not raised if they are also read one by one, nor by larger entities', async () => {
    for (let time = 0; time < 5; time++) await app.query('Load', "PartitionKey eq 'server-1' and RowKey ge '000000'");
    await app.get('Load', ['server-1', '000002']);
    await app.create('Rich');
    await app.fill('Rich', 'p', 24, (at) => ({ A: at, B: at, C: at, D: at }));
    for (let time = 0; time < 5; time++) await app.query('Rich', "PartitionKey eq 'p'");
    expect(await app.raised()).toEqual([]);
  });
});

describe('unpadded-numbers', () => {
  it('is raised by a range over numbers of several lengths', async () => {
    await app.create('Numbers');
    for (let at = 5; at < 15; at++) await app.insert('Numbers', ['p', String(at)]);
    await app.query('Numbers', "PartitionKey eq 'p' and RowKey ge '9'");
    expect(await app.raised()).toContain('unpadded-numbers Numbers');
  });

  it('is not raised by padded numbers, nor by queries without a range', async () => {
    await app.create('Padded');
    for (let at = 5; at < 15; at++) await app.insert('Padded', ['p', String(at).padStart(4, '0')]);
    await app.query('Padded', "PartitionKey eq 'p' and RowKey ge '0009'");
    for (let at = 20; at < 30; at++) await app.insert('Numbers', ['p', String(at * 7)]);
    await app.query('Numbers', "PartitionKey eq 'p' and RowKey eq '9' and Age eq 1");
    expect(await app.raised()).toEqual([]);
  });
});

describe('ignored-continuation', () => {
  it('is raised by a query that is repeated and never continued', async () => {
    await app.query('People');
    await app.query('People');
    app.time.advance(10_000);
    expect(await app.raised()).toEqual(['ignored-continuation People']);
    expect((await app.finding('ignored-continuation'))?.severity).toBe('error');
  });

  it('is not raised by $top, by a client that follows the continuation, nor by one query', async () => {
    await app.query('People', undefined, { top: 10 });
    await app.query('People', undefined, { top: 10 });
    await app.list('People', "PartitionKey eq 'sales'");
    await app.query('People', "PartitionKey eq 'sales'");
    await app.query('People', 'Age ge 0');
    app.time.advance(10_000);
    expect(await app.raised()).toEqual([]);
  });
});
