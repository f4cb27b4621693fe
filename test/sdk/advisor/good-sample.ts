// Stores people in departments, and their visits. The design follows Microsoft's guides to table design: it uses
// compound keys, index entities in the same partition, transactions, projection and ETags.

import type { TableClient, TransactionAction } from '@azure/data-tables';

export interface Tables {
  readonly people: TableClient;
}

const departments = ['sales', 'law', 'research', 'support'];
const pad = (at: number): string => String(at).padStart(6, '0');

/** Stores each person in one transaction with an index entity, by which the person is found by address. */
export async function runGoodSample({ people }: Tables): Promise<void> {
  await people.createTable();
  for (const department of departments) await importPeople(people, department);
  for (let at = 0; at < 20; at++) await findByEmail(people, 'sales', `p${at}@example.com`);
  await listNames(people, 'law');
  for (let at = 0; at < 10; at++) await changePhone(people, { department: 'law', id: pad(at * 3) });
  await leave(people, 'support');
}

async function importPeople(people: TableClient, department: string): Promise<void> {
  for (let from = 0; from < 300; from += 50) {
    const actions = Array.from({ length: 50 }, (_, at) => from + at).flatMap((at): TransactionAction[] => {
      const person = { name: `Person ${at}`, email: `p${at}@example.com`, phone: '1', room: at % 40, floor: at % 4 };
      return [
        ['upsert', { partitionKey: department, rowKey: `id:${pad(at)}`, ...person }, 'Replace'],
        ['upsert', { partitionKey: department, rowKey: `email:${person.email}`, id: pad(at) }, 'Replace'],
      ];
    });
    await people.submitTransaction(actions);
  }
}

async function findByEmail(people: TableClient, department: string, email: string): Promise<string> {
  const { id } = await people.getEntity<{ id: string }>(department, `email:${email}`);
  return id;
}

async function listNames(people: TableClient, department: string): Promise<string[]> {
  const filter = `PartitionKey eq '${department}' and RowKey ge 'id:' and RowKey lt 'id;'`;
  const names: string[] = [];
  const found = people.listEntities<{ name: string }>({ queryOptions: { filter, select: ['name'] } });
  for await (const { name } of found) names.push(name);
  return names;
}

/** Writes with the ETag that was read, so that no update is lost. */
async function changePhone(people: TableClient, key: { department: string; id: string }): Promise<void> {
  const { etag } = await people.getEntity(key.department, `id:${key.id}`, { queryOptions: { select: ['phone'] } });
  const change = { partitionKey: key.department, rowKey: `id:${key.id}`, phone: '2' };
  await people.updateEntity(change, 'Merge', { etag });
}

/** Deletes a department in transactions. */
async function leave(people: TableClient, department: string): Promise<void> {
  for (let from = 0; from < 100; from += 50) {
    const actions = Array.from({ length: 50 }, (_, at) => from + at).flatMap((at): TransactionAction[] => [
      ['delete', { partitionKey: department, rowKey: `id:${pad(at)}` }],
      ['delete', { partitionKey: department, rowKey: `email:p${at}@example.com` }],
    ]);
    await people.submitTransaction(actions);
  }
}
