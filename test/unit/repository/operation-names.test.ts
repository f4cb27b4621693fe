import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { operationTable } from '../../../src/service/operation-table.ts';

const root = new URL('../../../', import.meta.url);
const exists = (path: string): boolean => existsSync(fileURLToPath(new URL(path, root)));
const kebab = (name: string): string => name.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase();

/** An operation that is not implemented refuses before it reads the request. */
function isBuilt({ operation }: (typeof operationTable)[number]): boolean {
  try {
    operation.decode(undefined as never);
    return true;
  } catch (error) {
    return !(error instanceof ServiceError && error.code === 'NotImplemented');
  }
}

const folder = new URL('src/operations/', root);
const modules = await Promise.all(
  readdirSync(fileURLToPath(folder)).map((file): Promise<object> => import(new URL(file, folder).href)),
);
/** The names of the functions that src/operations exports. */
const functions = modules.flatMap(Object.keys).filter((name) => /^[a-z]/.test(name));

const names = operationTable.map(({ operation }) => operation.name);
const built = operationTable.filter(isBuilt).map(({ operation }) => operation.name);

// Source: docs, Table service REST API; Get Table and Get Entity by address have no page.
const documented = [
  'CreateTable',
  'DeleteEntity',
  'DeleteTable',
  'EntityGroupTransaction',
  'GetEntity',
  'GetTable',
  'GetTableAcl',
  'GetTableServiceProperties',
  'GetTableServiceStats',
  'InsertEntity',
  'InsertOrMergeEntity',
  'InsertOrReplaceEntity',
  'MergeEntity',
  'PreflightTableRequest',
  'QueryEntities',
  'QueryTables',
  'SetTableAcl',
  'SetTableServiceProperties',
  'UpdateEntity',
];

describe('The operation list', () => {
  it('names each operation once, with its name in the documentation of the service', () => {
    expect(names.filter((name) => !documented.includes(name))).toEqual([]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('has all operations on tables and entities implemented', () => {
    expect(built.length).toBeGreaterThanOrEqual(12);
  });
});

const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

describe('An implemented operation', () => {
  it.each(built)('%s has a function of its name in src/operations and a file in test/conformance', (name) => {
    expect(functions).toContain(camel(name));
    expect(exists(`test/conformance/${kebab(name)}.test.ts`)).toBe(true);
  });
});

describe('A function of src/operations', () => {
  // Functions that several operations share.
  const shared = ['admit', 'admitTableOperation', 'writeEntity', 'writeEntities'];
  const refusals = [
    'tableNotFound',
    'tableBeingDeleted',
    'absentTable',
    'absentTableOf',
    'resourceNotFound',
    'mutationRefusal',
  ];

  it('belongs to an implemented operation', () => {
    const own = functions.filter((name) => !shared.includes(name) && !refusals.includes(name));
    expect(own.sort()).toEqual(built.map(camel).sort());
  });
});
