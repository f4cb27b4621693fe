/**
 * The actions that a role may allow, without their prefix `Microsoft.Storage/storageAccounts/tableServices/`.
 * Source: docs, Azure permissions for Storage.
 */
export const tableActions = [
  'read',
  'write',
  'tables/read',
  'tables/write',
  'tables/delete',
  'tables/entities/read',
  'tables/entities/write',
  'tables/entities/delete',
  'tables/entities/add/action',
  'tables/entities/update/action',
] as const;

export type TableAction = (typeof tableActions)[number];

/** What an operation requires of a shared access signature and of a bearer token. An account key may do everything. */
export interface Access {
  /**
   * The letter that an account signature's `srt` must contain: `s` for the service, `c` for a table, `o` for an entity.
   */
  readonly resourceType: 's' | 'c' | 'o';
  /** Alternatives for an account signature's `sp`, which must contain every letter of at least one alternative. */
  readonly account: readonly string[];
  /** Letters that a table signature's `sp` needs; undefined if a table signature never suffices. */
  readonly table: string | undefined;
  /** No shared access signature suffices. */
  readonly keyOnly?: true;
  /**
   * Alternative lists of actions. The roles of a bearer token must allow every action in at least one of these lists.
   * If there is no list, no role suffices.
   */
  readonly actions: readonly (readonly TableAction[])[];
}

const adding: readonly TableAction[] = ['tables/entities/add/action'];
const updating: readonly TableAction[] = ['tables/entities/update/action'];
const writing: readonly TableAction[] = ['tables/entities/write'];

/**
 * Each operation names one of these rules. Evidence: documented (Create an account SAS, Create a service SAS); recorded
 * for Create Table, Query Tables, Delete Table and Get Table Service Properties (net-tables
 * ValidateAccountSasCredentialsWithResourceTypes: `srt=s` reads the properties and does not create a table; py-tables
 * test_azure_sas_credential). The actions: documented (Authorize access to tables using Microsoft Entra ID).
 */
export const access = {
  listTables: { resourceType: 'c', account: ['l'], table: undefined, actions: [['tables/read']] },
  createTable: { resourceType: 'c', account: ['c', 'w'], table: undefined, actions: [['tables/write']] },
  deleteTable: { resourceType: 'c', account: ['d'], table: undefined, actions: [['tables/delete']] },
  readEntities: { resourceType: 'o', account: ['r'], table: 'r', actions: [['tables/entities/read']] },
  addEntity: { resourceType: 'o', account: ['a'], table: 'a', actions: [writing, adding] },
  updateEntity: { resourceType: 'o', account: ['u'], table: 'u', actions: [writing, updating] },
  upsertEntity: { resourceType: 'o', account: ['au'], table: 'au', actions: [writing, [...adding, ...updating]] },
  deleteEntity: { resourceType: 'o', account: ['d'], table: 'd', actions: [['tables/entities/delete']] },
  // A batch needs no permission itself: each operation in it is checked by its own rule. Evidence: documented.
  batch: { resourceType: 'o', account: [''], table: '', actions: [[]] },
  readService: { resourceType: 's', account: ['r'], table: undefined, actions: [['read']] },
  writeService: { resourceType: 's', account: ['w'], table: undefined, actions: [['write']] },
  keyOnly: { resourceType: 'c', account: [], table: undefined, keyOnly: true, actions: [] },
} as const satisfies Record<string, Access>;
