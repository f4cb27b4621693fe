import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Access, access } from '../../../src/auth/access.ts';
import { authorize, checkKeyInRange, isKeyInRange } from '../../../src/auth/authorize.ts';
import { type Grant, keyGrant, type TableSasGrant } from '../../../src/auth/grant.ts';
import type { EntityKey } from '../../../src/model/entity.ts';
import { operationTable } from '../../../src/service/operation-table.ts';
import { authenticate, signedQuery, tableSas, thrownBy } from '../../support/signed-requests.ts';

/** The access that each operation of the service requires of a signature. */
const accessOf = Object.fromEntries(
  operationTable.map(({ operation }) => [operation.name, operation.access as Access]),
);

/**
 * The name of an operation, and the letters that it needs. `srt` is the resource type that an account signature needs.
 * `accountLetters` lists sets of `sp` letters. An account signature needs all letters of at least one of these sets.
 * `tableLetters` are the `sp` letters that a table signature needs.
 */
type Row = readonly [name: string, srt: string, accountLetters: readonly string[], tableLetters: string | undefined];

const rows: readonly Row[] = [
  ['QueryTables', 'c', ['l'], undefined],
  ['GetTable', 'c', ['l'], undefined],
  ['CreateTable', 'c', ['c', 'w'], undefined],
  ['DeleteTable', 'c', ['d'], undefined],
  ['QueryEntities', 'o', ['r'], 'r'],
  ['GetEntity', 'o', ['r'], 'r'],
  ['InsertEntity', 'o', ['a'], 'a'],
  ['UpdateEntity', 'o', ['u'], 'u'],
  ['MergeEntity', 'o', ['u'], 'u'],
  ['InsertOrReplaceEntity', 'o', ['au'], 'au'],
  ['InsertOrMergeEntity', 'o', ['au'], 'au'],
  ['DeleteEntity', 'o', ['d'], 'd'],
  ['EntityGroupTransaction', 'o', [''], ''],
  ['GetTableAcl', '', [], undefined],
  ['SetTableAcl', '', [], undefined],
  ['GetTableServiceProperties', 's', ['r'], undefined],
  ['SetTableServiceProperties', 's', ['w'], undefined],
  ['GetTableServiceStats', 's', ['r'], undefined],
];

function ruleOf(name: string): Access {
  const rule = accessOf[name];
  if (rule === undefined) throw new Error(`no operation ${name}`);
  return rule;
}

/** Every combination of at least one of these permissions, in order. */
function choices(letters: string): string[] {
  let all = [''];
  for (const letter of letters) all = all.concat(all.map((some) => some + letter));
  return all.slice(1);
}

const has = (given: string, needed: string): boolean => [...needed].every((letter) => given.includes(letter));
const accountGrant = (resourceTypes: string, permissions: string): Grant => ({
  kind: 'accountSas',
  permissions,
  resourceTypes,
});
const tableGrant = (permissions: string, changes: Partial<TableSasGrant> = {}): TableSasGrant => ({
  kind: 'tableSas',
  permissions,
  table: 'Inventory',
  range: undefined,
  isLegacy: false,
  ...changes,
});
const codeOf = (grant: Grant, access: Access, table?: string): string | undefined =>
  thrownBy(() => authorize(grant, access, table))?.code;

describe('The operations', () => {
  it('are all in the table of these tests', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(accessOf).toSorted());
  });

  it.each(rows)('allows %s with a key', (name) => {
    expect(codeOf(keyGrant, ruleOf(name), 'Inventory')).toBeUndefined();
  });

  it.each(rows)('checks %s with an account signature: resource type, then permissions', (name, srt, letters) => {
    for (const resourceTypes of choices('sco')) {
      for (const permissions of choices('rwdlacu')) {
        const expected =
          srt === ''
            ? 'AuthorizationFailure'
            : !resourceTypes.includes(srt)
              ? 'AuthorizationResourceTypeMismatch'
              : letters.some((needed) => has(permissions, needed))
                ? undefined
                : 'AuthorizationPermissionMismatch';
        const code = codeOf(accountGrant(resourceTypes, permissions), ruleOf(name), 'Inventory');
        expect([resourceTypes, permissions, code]).toEqual([resourceTypes, permissions, expected]);
      }
    }
  });

  it.each(rows)('checks %s with a table signature: table, then permissions', (name, _srt, _letters, needed) => {
    for (const permissions of choices('raud')) {
      const expected =
        needed === undefined
          ? 'AuthorizationFailure'
          : has(permissions, needed)
            ? undefined
            : 'AuthorizationPermissionMismatch';
      expect(codeOf(tableGrant(permissions), ruleOf(name), 'INVENTORY')).toBe(expected);
      const legacy = expected && 'ResourceNotFound';
      expect(codeOf(tableGrant(permissions, { isLegacy: true }), ruleOf(name), 'Inventory')).toBe(legacy);
    }
  });

  it('refuses a signature for another table, also inside a batch', () => {
    expect(codeOf(tableGrant('raud'), access.addEntity, 'Other')).toBe('AuthorizationFailure');
    expect(codeOf(tableGrant('raud'), access.addEntity, 'INVENTORY')).toBeUndefined();
    expect(codeOf(tableGrant('raud'), access.batch)).toBeUndefined();
  });

  it('refuses an insert inside a batch with read permission only, but not the batch', () => {
    expect(codeOf(accountGrant('sco', 'r'), access.batch)).toBeUndefined();
    expect(codeOf(accountGrant('sco', 'r'), access.addEntity, 'Inventory')).toBe('AuthorizationPermissionMismatch');
    expect(codeOf(tableGrant('raud'), access.batch)).toBeUndefined();
  });

  it('refuses an upsert with update permission only', () => {
    expect(codeOf(tableGrant('u'), access.upsertEntity, 'Inventory')).toBe('AuthorizationPermissionMismatch');
  });

  it('refuses with an error of the service, not of the front end', () => {
    const refusal = thrownBy(() => authorize(accountGrant('s', 'rwdlau'), access.createTable));
    // Evidence: recorded (net-tables ValidateAccountSasCredentialsWithResourceTypes).
    expect(refusal).toMatchObject({
      status: 403,
      stage: 'execute',
      message: 'This request is not authorized to perform this operation using this resource type.',
    });
  });
});

describe('The range of a table signature', () => {
  const keyText = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', 'é', '\u{1F600}', '\uffff', ' ', '\u0000'),
    maxLength: 3,
  });
  const bound = fc.record({ partition: keyText, row: keyText });
  const key = fc.record({ partitionKey: keyText, rowKey: keyText });

  /** Source: docs, Create a service SAS. */
  function isAllowed({ partitionKey, rowKey }: EntityKey, low: Bound, high: Bound): boolean {
    const isAboveLow =
      low.partition === '' ||
      (low.row === ''
        ? partitionKey >= low.partition
        : partitionKey > low.partition || (partitionKey === low.partition && rowKey >= low.row));
    const isBelowHigh =
      high.partition === '' ||
      (high.row === ''
        ? partitionKey <= high.partition
        : partitionKey < high.partition || (partitionKey === high.partition && rowKey <= high.row));
    return isAboveLow && isBelowHigh;
  }

  interface Bound {
    readonly partition: string;
    readonly row: string;
  }

  it('contains the keys of the documentation, including both ends', () => {
    fc.assert(
      fc.property(bound, bound, fc.array(key, { minLength: 1, maxLength: 8 }), (first, second, keys) => {
        const low = first.partition === '' ? { partition: '', row: '' } : first;
        const high = second.partition === '' ? { partition: '', row: '' } : second;
        const range = { spk: low.partition, srk: low.row, epk: high.partition, erk: high.row };
        const grant = authenticate({ query: signedQuery({ ...tableSas, ...range }) }) as Grant;
        const ends = [low, high].map(({ partition, row }) => ({ partitionKey: partition, rowKey: row }));
        // The first keys after the end. An exclusive end would treat them differently.
        const after = [
          { partitionKey: high.partition, rowKey: `${high.row}\u0000` },
          { partitionKey: `${high.partition}\u0000`, rowKey: '' },
        ];
        for (const candidate of [...keys, ...ends, ...after]) {
          const expected = isAllowed(candidate, low, high);
          expect(isKeyInRange(grant, candidate)).toBe(expected);
          expect(thrownBy(() => checkKeyInRange(grant, candidate))?.code).toBe(
            expected ? undefined : 'AuthorizationFailure',
          );
        }
      }),
    );
  });

  it('is limited to one partition if both ends name it', () => {
    const grant = authenticate({ query: signedQuery({ ...tableSas, spk: 'b', epk: 'b' }) }) as Grant;
    const reached = ['a', 'b', 'b\u0000', 'c', 'z'].filter((partitionKey) =>
      isKeyInRange(grant, { partitionKey, rowKey: 'x' }),
    );
    expect(reached).toEqual(['b']);
  });

  it('does not apply to keys and account signatures', () => {
    for (const grant of [keyGrant, accountGrant('o', 'a'), tableGrant('a')]) {
      expect(isKeyInRange(grant, { partitionKey: 'p', rowKey: 'r' })).toBe(true);
    }
  });

  it('is reported as ResourceNotFound to signatures of old versions', () => {
    const grant = authenticate({ query: signedQuery({ ...tableSas, sv: '2012-02-12', epk: 'a' }) }) as Grant;
    const refusal = thrownBy(() => checkKeyInRange(grant, { partitionKey: 'b', rowKey: '' }));
    expect(refusal).toMatchObject({ code: 'ResourceNotFound', status: 404, stage: 'execute' });
  });
});
