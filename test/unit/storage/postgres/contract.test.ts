import { afterAll, describe } from 'vitest';
import { hasPostgres } from '../../../support/postgres.ts';
import { dropPostgres, postgres } from '../contract/given.ts';
import { describeStoreContract } from '../store-contract.ts';

describe.runIf(hasPostgres)('with a schema of its own for each test', () => {
  afterAll(dropPostgres);
  describeStoreContract('the PostgreSQL engine', postgres);
});
