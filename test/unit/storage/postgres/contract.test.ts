import { afterAll, describe } from 'vitest';
import { hasPostgres, isCitus } from '../../../support/postgres.ts';
import { dropPostgres, postgres, postgresAsDistributed } from '../contract/given.ts';
import { describeStoreContract } from '../store-contract.ts';

describe.runIf(hasPostgres)('with its own schema for each test', () => {
  afterAll(dropPostgres);
  describeStoreContract(isCitus ? 'the PostgreSQL engine over Citus' : 'the PostgreSQL engine', postgres);
  if (!isCitus) describeStoreContract('the PostgreSQL engine as over Citus', postgresAsDistributed);
});
