// The operations of the service, by their names in the log, with what decides whether a fault can strike them.
// test/unit/faults compares the names with the operation table.

export interface OperationTraits {
  /** A success has changed something. */
  readonly commits?: true;
  /** Its response is a page of entities. */
  readonly pages?: true;
  /** It takes a continuation. */
  readonly continues?: true;
  /** It reads entities. */
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
  // A request that names no operation.
  Unknown: {},
};

export const batchOperationName = 'EntityGroupTransaction';

export const traitsOf = (operation: string): OperationTraits =>
  Object.hasOwn(operationTraits, operation) ? (operationTraits[operation] ?? {}) : {};
