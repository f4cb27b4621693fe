// Handles addresses with a second segment below a table, such as `/pets/Tables`. A client sends such an address if its
// endpoint wrongly ends with the name of a table.

import { access } from '../auth/access.ts';
import type { EntityRecord } from '../model/entity.ts';
import { quote } from '../model/printable-text.ts';
import { keyCountError, ServiceError } from '../model/service-error.ts';
import type { TableReference } from '../model/table-name.ts';
import { type EntityWrite, insertEntity } from '../operations/entity-writes.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import { absentTable } from '../operations/refusals.ts';
import { writeEntity } from '../operations/write-entity.ts';
import { decodeInsert, encodeInsert, type Insert } from './entity-operations.ts';
import { type Operation, operation, refusing } from './operation.ts';

interface Navigation {
  readonly table: TableReference;
  readonly hasKey: boolean;
  readonly account: string;
  readonly method: string;
}

/**
 * Returns the operation of an address with a second segment. A POST to an address without keys is Insert Entity into
 * the table. Every other request is refused. A missing table is reported before any other fault. Evidence: recorded
 * (net-tables, ThrowsWithTableNameInUri; azure-sdk-for-java for the insert); sdk (azure-sdk-for-python,
 * test_client_with_url_ends_with_table_name).
 */
export function navigationOperation({ table, hasKey, account, method }: Navigation): Operation {
  if (method === 'POST' && !hasKey) return insertBelowTable(table);
  const why = `The path continues below the table ${quote(table.name)}: an endpoint must not include a table.`;
  const refusal = hasKey ? keyCountError(`${account}.${table.name}`, why) : new ServiceError('NotImplemented', { why });
  return {
    ...refusing(refusal),
    decode({ grant }): void {
      // A signature must not reveal whether a table that it does not cover exists.
      if (grant.kind !== 'key') throw refusal;
    },
    async run(context): Promise<never> {
      await requireTable(context, table);
      throw refusal;
    },
  };
}

/** The content of a request, or its refusal, which is thrown only if the table exists. */
type DecodedInsert = { readonly insert: Insert } | { readonly refusal: unknown };

function insertBelowTable(table: TableReference): Operation {
  return operation({
    name: 'InsertEntity',
    resource: 'navigation',
    access: access.addEntity,
    takesBody: true,
    decode(request): DecodedInsert {
      try {
        return { insert: decodeInsert(request) };
      } catch (refusal) {
        return { refusal };
      }
    },
    write: writeOf,
    async run(context, decoded) {
      await requireTable(context, table);
      return writeEntity(context, writeOf(decoded));
    },
    encode: (record: EntityRecord, request, decoded) => encodeInsert(record, request, insertOf(decoded)),
  });
}

function writeOf(decoded: DecodedInsert): EntityWrite {
  return insertEntity(insertOf(decoded));
}

function insertOf(decoded: DecodedInsert): Insert {
  if ('refusal' in decoded) throw decoded.refusal;
  return decoded.insert;
}

async function requireTable({ store }: OperationContext, { name }: TableReference): Promise<void> {
  const { kind } = await store.findTable(name);
  if (kind !== 'found') throw absentTable(kind);
}
