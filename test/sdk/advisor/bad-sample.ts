// Stores people and their visits as a relational database would: with a partition for each type, and with an id in the
// RowKey. The sample filters on properties, reads before each write, and joins in the client.

import type { TableClient } from '@azure/data-tables';

export interface Tables {
  readonly people: TableClient;
  readonly visits: TableClient;
}

interface Person {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly name: string;
  readonly email: string;
  readonly [note: `note${number}`]: string;
}

const peopleCount = 1_200;

export async function runBadSample(tables: Tables): Promise<void> {
  for (let start = 0; start < 22; start++) await ensureTable(tables.people);
  await ensureTable(tables.visits);
  await importPeople(tables);
  for (let at = 0; at < 10; at++) await findByEmail(tables.people, `p${at}@example.com`);
  await findById(tables.people, 'id-77');
  await findSome(tables.people);
  for (let report = 0; report < 3; report++) await countByRoom(tables.people);
  await renameRoom(tables.people);
  await visitsWithNames(tables);
  await forgetVisits(tables.visits);
}

/** The application calls this before each access, in case the table is missing. */
const ensureTable = (table: TableClient): Promise<void> => table.createTable();

async function importPeople({ people, visits }: Tables): Promise<void> {
  const notes = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`note${at}`, 'none']));
  for (let from = 0; from < peopleCount - 60; from += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, peopleCount - 60 - from) }, (_, at) => save(people, from + at, notes)),
    );
  }
  // The others are written one after the other, each after a read that shows whether it exists.
  for (let at = peopleCount - 60; at < peopleCount; at++) {
    const known = await people.getEntity('Person', `id-${at}`).catch(() => undefined);
    if (!known) await save(people, at, notes);
  }
  for (let at = 0; at < 130; at++) {
    await visits.createEntity({
      partitionKey: 'Visit',
      rowKey: `visit-${at}`,
      personId: `id-${at}`,
      day: at % 30,
    });
  }
}

function save(people: TableClient, at: number, notes: object): Promise<unknown> {
  const person = { name: `Person ${at}`, email: `p${at}@example.com`, room: at % 40 };
  return people.upsertEntity({ partitionKey: 'Person', rowKey: `id-${at}`, ...person, ...notes }, 'Replace');
}

async function read(table: TableClient, filter?: string): Promise<Person[]> {
  const found: Person[] = [];
  const queryOptions = filter === undefined ? {} : { filter };
  for await (const person of table.listEntities<Person>({ queryOptions })) found.push(person as Person);
  return found;
}

const findByEmail = (people: TableClient, email: string): Promise<Person[]> => read(people, `email eq '${email}'`);
const findById = (people: TableClient, id: string): Promise<Person[]> => read(people, `RowKey eq '${id}'`);
const findSome = (people: TableClient): Promise<Person[]> =>
  read(people, "PartitionKey eq 'Person' and (RowKey eq 'id-1' or RowKey eq 'id-2' or RowKey eq 'id-3')");

async function countByRoom(people: TableClient): Promise<number> {
  return (await read(people)).filter(({ name }) => name.endsWith('7')).length;
}

/** Finds people by a scan, and replaces each entity to change one property. */
async function renameRoom(people: TableClient): Promise<void> {
  for (const person of await read(people, 'room eq 7'))
    await people.updateEntity({ ...person, room: 8 }, 'Replace', { etag: '*' });
}

async function visitsWithNames({ people, visits }: Tables): Promise<string[]> {
  const names: string[] = [];
  for (const visit of await read(visits, "PartitionKey eq 'Visit' and day eq 3")) {
    const { personId } = visit as unknown as { personId: string };
    names.push((await people.getEntity<Person>('Person', personId)).name);
  }
  return names;
}

async function forgetVisits(visits: TableClient): Promise<void> {
  for (const { partitionKey, rowKey } of await read(visits)) await visits.deleteEntity(partitionKey, rowKey);
}
