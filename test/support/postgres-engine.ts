// With TANZANITE_TEST_ENGINE=postgres, every emulator of a test keeps its data in a schema of a PostgreSQL database.
// Each location has its own schema. An emulator without a location gets a new schema, which is dropped when the
// emulator stops.

import { afterAll } from 'vitest';
import { defaultEmulatorSettings } from '../../src/emulator.ts';
import type { OpenStore, Store } from '../../src/storage/store.ts';
import { createSchema, dropSchemas, hasPostgres, type PostgresDatabase } from './postgres.ts';

const { openStore } = defaultEmulatorSettings;

const openInPostgres: OpenStore = async (options) => {
  if (options.store !== undefined) return openStore(options);
  const { location, ...others } = options;
  if (location !== undefined) return openStore({ ...others, store: (await schemaOf(location)).url });
  const schema = await createSchema();
  return droppedAtClose(await openStore({ ...others, store: schema.url }), schema);
};

const schemas = new Map<string, Promise<PostgresDatabase>>();

function schemaOf(location: string): Promise<PostgresDatabase> {
  const schema = schemas.get(location) ?? createSchema();
  schemas.set(location, schema);
  return schema;
}

function droppedAtClose(store: Store, schema: PostgresDatabase): Store {
  const close = store.close.bind(store);
  return Object.assign(store, {
    async close() {
      await close();
      await schema.drop();
    },
  });
}

afterAll(async () => {
  schemas.clear();
  await dropSchemas();
});

if (hasPostgres) Object.assign(defaultEmulatorSettings, { openStore: openInPostgres });
