/** What an operation asks of a shared access signature. A key of the account may do everything. */
export interface Access {
  /** The service, a table, an entity: one of these letters must stand in an account signature's `srt`. */
  readonly resourceType: 's' | 'c' | 'o';
  /** Alternatives for an account signature's `sp`; of one of them every letter is needed. */
  readonly account: readonly string[];
  /** Letters of a table signature's `sp` that are needed; undefined where it never reaches. */
  readonly table: string | undefined;
  /** No shared access signature suffices. */
  readonly keyOnly?: true;
}

const reading = { resourceType: 'o', account: ['r'], table: 'r' } as const;
const changing = { resourceType: 'o', account: ['u'], table: 'u' } as const;
const upserting = { resourceType: 'o', account: ['au'], table: 'au' } as const;
const policies = { resourceType: 'c', account: [], table: undefined, keyOnly: true } as const;

/**
 * By operation. Evidence: documented (Create an account SAS, Create a service SAS); recorded for Create Table, Query Tables,
 * Delete Table and Get Table Service Properties (net-tables ValidateAccountSasCredentialsWithResourceTypes: `srt=s` reads
 * the properties and does not create a table; py-tables test_azure_sas_credential).
 */
export const accessOf = {
  QueryTables: { resourceType: 'c', account: ['l'], table: undefined },
  GetTable: { resourceType: 'c', account: ['l'], table: undefined },
  CreateTable: { resourceType: 'c', account: ['c', 'w'], table: undefined },
  DeleteTable: { resourceType: 'c', account: ['d'], table: undefined },
  QueryEntities: reading,
  GetEntity: reading,
  InsertEntity: { resourceType: 'o', account: ['a'], table: 'a' },
  UpdateEntity: changing,
  MergeEntity: changing,
  InsertOrReplaceEntity: upserting,
  InsertOrMergeEntity: upserting,
  DeleteEntity: { resourceType: 'o', account: ['d'], table: 'd' },
  // Of no letters itself: every operation inside is judged by its own line. Evidence: documented.
  EntityGroupTransaction: { resourceType: 'o', account: [''], table: '' },
  GetTableAcl: policies,
  SetTableAcl: policies,
  GetTableServiceProperties: { resourceType: 's', account: ['r'], table: undefined },
  SetTableServiceProperties: { resourceType: 's', account: ['w'], table: undefined },
  GetTableServiceStats: { resourceType: 's', account: ['r'], table: undefined },
} as const satisfies Record<string, Access>;
