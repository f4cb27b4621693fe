// With TANZANITE_TEST_ENGINE=postgres every emulator of a test keeps its data in a PostgreSQL database: one for each location,
// and a new one for each emulator without a location, which goes when the emulator stops.

import { afterAll } from 'vitest';
import { defaultSettings } from '../../src/emulator.ts';
import type { OpenStore, Store } from '../../src/storage/store.ts';
import { createDatabase, distributeOverCitus, hasPostgres, type PostgresDatabase } from './postgres.ts';

const { openStore } = defaultSettings;

const openInPostgres: OpenStore = async (options) => {
  if (options.store !== undefined) return openStore(options);
  const { location, ...others } = options;
  if (location !== undefined) return openStore({ ...others, store: (await databaseOf(location)).url });
  const database = await newDatabase();
  return droppedAtClose(await openStore({ ...others, store: database.url }), database);
};

async function newDatabase(): Promise<PostgresDatabase> {
  const database = await createDatabase();
  await distributeOverCitus(database.url);
  return database;
}

const databases = new Map<string, Promise<PostgresDatabase>>();

function databaseOf(location: string): Promise<PostgresDatabase> {
  const database = databases.get(location) ?? newDatabase();
  databases.set(location, database);
  return database;
}

function droppedAtClose(store: Store, database: PostgresDatabase): Store {
  const close = store.close.bind(store);
  return Object.assign(store, {
    async close() {
      await close();
      await database.drop();
    },
  });
}

afterAll(async () => {
  const dropped = [...databases.values()].map(async (database) => (await database).drop());
  databases.clear();
  await Promise.all(dropped);
});

if (hasPostgres) Object.assign(defaultSettings, { openStore: openInPostgres });
