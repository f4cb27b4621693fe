import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PageRows, type Read } from '../../../../src/storage/postgres/page-rows.ts';
import { PostgresScan } from '../../../../src/storage/postgres/scan.ts';
import { preparePostgresStatements } from '../../../../src/storage/postgres/statements.ts';
import { insertion, keyOf, tableNamed } from '../../../support/entities.ts';
import { storeTimes } from '../../../support/manual-time.ts';
import { hasPostgres, isCitus } from '../../../support/postgres.ts';
import { comparison, int } from '../../query/filters.ts';
import { createNodes, type Nodes } from './nodes.ts';

const entities = 3_000;

describe.runIf(hasPostgres)('A page', () => {
  let nodes: Nodes;
  let client: pg.Client;
  beforeAll(async () => {
    nodes = await createNodes();
    const { account } = await nodes.open();
    await account.createTable(tableNamed('Pets'));
    const numbered = (at: number) => insertion(keyOf('p', String(at).padStart(4, '0')), new Map([['Number', int(at)]]));
    await account.apply(
      'Pets',
      Array.from({ length: entities }, (_, at) => numbered(at)),
    );
    client = new pg.Client({ connectionString: nodes.url });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await nodes?.close();
  });

  it('that is full searches for the next selected entity in few statements', async () => {
    const [found] = await nodes.query('SELECT id, account, lookup FROM tanzanite.tables');
    const table = (isCitus ? [found?.['id']] : [found?.['account'], found?.['lookup']]) as string[];
    let statementsSent = 0;
    const read: Read = async ({ text }, values) => {
      statementsSent += 1;
      const types = { getTypeParser: () => (value: string) => value };
      return (await client.query({ text, values: [...values], rowMode: 'array', types })).rows;
    };
    const statements = preparePostgresStatements({ schema: '"tanzanite"', isDistributed: isCitus });
    const rows = new PageRows(read, { statements, table });
    const filter = comparison('Number', 'eq', int(0));
    const request = { range: {}, limit: 1, bytesMax: 4_000_000, timeMsMax: 60_000, filter };
    const page = await new PostgresScan(request, { rows, machineTime: storeTimes().machineTime }).run();
    expect(page).toMatchObject({ end: 'range', visited: 1 });
    expect(page.entities).toHaveLength(1);
    expect(statementsSent).toBeLessThanOrEqual(4);
  });
});
