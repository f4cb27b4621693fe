/** What an operation asks of a shared access signature. A key of the account may do everything. */
export interface Access {
  /** The service, a table, an entity: one of these letters must stand in an account signature's `srt`. */
  readonly resourceType: 's' | 'c' | 'o';
  /** Alternatives for an account signature's `sp`; of one of them every letter is needed. */
  readonly account: readonly string[];
  /** Letters of a table signature's `sp` that are needed; undefined if it never reaches. */
  readonly table: string | undefined;
  /** No shared access signature suffices. */
  readonly keyOnly?: true;
}

/**
 * The rules that operations name. Evidence: documented (Create an account SAS, Create a service SAS); recorded for Create
 * Table, Query Tables, Delete Table and Get Table Service Properties (net-tables
 * ValidateAccountSasCredentialsWithResourceTypes: `srt=s` reads the properties and does not create a table; py-tables
 * test_azure_sas_credential).
 */
export const access = {
  listTables: { resourceType: 'c', account: ['l'], table: undefined },
  createTable: { resourceType: 'c', account: ['c', 'w'], table: undefined },
  deleteTable: { resourceType: 'c', account: ['d'], table: undefined },
  readEntities: { resourceType: 'o', account: ['r'], table: 'r' },
  addEntity: { resourceType: 'o', account: ['a'], table: 'a' },
  updateEntity: { resourceType: 'o', account: ['u'], table: 'u' },
  upsertEntity: { resourceType: 'o', account: ['au'], table: 'au' },
  deleteEntity: { resourceType: 'o', account: ['d'], table: 'd' },
  // Needs no letters itself: every operation inside is judged by its own rule. Evidence: documented.
  batch: { resourceType: 'o', account: [''], table: '' },
  readService: { resourceType: 's', account: ['r'], table: undefined },
  writeService: { resourceType: 's', account: ['w'], table: undefined },
  keyOnly: { resourceType: 'c', account: [], table: undefined, keyOnly: true },
} as const satisfies Record<string, Access>;
