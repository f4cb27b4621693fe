import { describe } from 'vitest';
import { hasPostgres } from '../../../support/postgres.ts';
import { postgres } from '../contract/given.ts';
import { describeStoreContract } from '../store-contract.ts';

describe.runIf(hasPostgres)('over a database of its own for each test', () => {
  describeStoreContract('the PostgreSQL engine', postgres);
});
