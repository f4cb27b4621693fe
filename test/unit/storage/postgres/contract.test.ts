import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import { hasPostgres } from '../../../support/postgres.ts';
import { describeAtomicity } from '../contract/atomicity.ts';
import { dropPostgres, type Given, postgres, postgresOneByOne } from '../contract/given.ts';
import { describeMutations } from '../contract/mutations.ts';
import { describeTimestamps } from '../contract/timestamps.ts';
import { describeStoreContract } from '../store-contract.ts';

describe.runIf(hasPostgres)('with a schema of its own for each test', () => {
  afterAll(dropPostgres);
  describeStoreContract('the PostgreSQL engine', postgres);

  describe('the PostgreSQL engine as over Citus', () => {
    let current: Given;
    beforeEach(async () => {
      current = await postgresOneByOne.open();
    });
    afterEach(() => current.dispose());
    describeAtomicity(() => current);
    describeMutations(() => current);
    describeTimestamps(() => current);
  });
});
