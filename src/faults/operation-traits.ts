// The operations of the service, by their names in the log. The traits of an operation decide whether a fault can
// affect it. test/unit/faults compares the names with the operation table.

export interface OperationTraits {
  /** Whether the operation changes something when it succeeds. */
  readonly commits?: true;
  /** Whether its response is a page of entities. */
  readonly pages?: true;
  /** Whether it accepts a continuation. */
  readonly continues?: true;
  /** Whether it reads entities. */
  readonly reads?: true;
}

export const operationTraits: Readonly<Record<string, OperationTraits>> = {
  QueryTables: { continues: true },
  CreateTable: { commits: true },
  GetTable: {},
  DeleteTable: { commits: true },
  GetEntity: { reads: true },
  QueryEntities: { pages: true, continues: true, reads: true },
  InsertEntity: { commits: true },
  UpdateEntity: { commits: true },
  MergeEntity: { commits: true },
  InsertOrReplaceEntity: { commits: true },
  InsertOrMergeEntity: { commits: true },
  DeleteEntity: { commits: true },
  EntityGroupTransaction: { commits: true },
  GetTableAcl: {},
  SetTableAcl: { commits: true },
  GetTableServiceProperties: {},
  SetTableServiceProperties: { commits: true },
  GetTableServiceStats: {},
  TablePreflightRequest: {},
  // For a request that does not name an operation.
  Unknown: {},
};

export const batchOperationName = 'EntityGroupTransaction';

export const traitsOf = (operation: string): OperationTraits =>
  Object.hasOwn(operationTraits, operation) ? (operationTraits[operation] ?? {}) : {};
