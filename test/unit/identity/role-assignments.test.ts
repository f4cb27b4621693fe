import { describe, expect, it } from 'vitest';
import { type TableAction, tableActions } from '../../../src/auth/access.ts';
import { coversPlace, parseRoleAssignments, parseScope } from '../../../src/identity/role-assignments.ts';

const prefix = 'Microsoft.Storage/storageAccounts/tableServices';
const account = '/subscriptions/S/resourceGroups/G/providers/Microsoft.Storage/storageAccounts/shop';
const entry = (changes: object): object => ({
  principalId: 'P1',
  roleDefinitionName: 'Storage Table Data Reader',
  scope: account,
  ...changes,
});
const parse = (...entries: unknown[]) => parseRoleAssignments(JSON.stringify(entries));
const actionsOf = (changes: object): readonly TableAction[] =>
  parse(entry(changes)).assignments.flatMap(({ actions }) => [...actions]);

describe('A role assignment', () => {
  it('in the form that az role assignment list prints is read as a principal, a role and a place', () => {
    const printed = {
      condition: null,
      createdOn: '2026-01-01T00:00:00.000000+00:00',
      id: `${account}/providers/Microsoft.Authorization/roleAssignments/0`,
      principalId: '23657296-5CD5-45B0-A809-D972A7F4DFE1',
      principalType: 'ServicePrincipal',
      roleDefinitionId:
        '/subscriptions/S/providers/Microsoft.Authorization/roleDefinitions/76199698-9eea-4c19-bc75-cec21354c6b6',
      roleDefinitionName: 'Storage Table Data Reader',
      scope: account,
      type: 'Microsoft.Authorization/roleAssignments',
    };
    expect(parse(printed)).toEqual({
      assignments: [
        {
          principalId: '23657296-5cd5-45b0-a809-d972a7f4dfe1',
          role: 'Storage Table Data Reader',
          actions: new Set(['tables/read', 'tables/entities/read']),
          account: 'shop',
          table: undefined,
        },
      ],
      ignored: [],
    });
  });

  it('of a contributor allows every action on tables and entities, and none on the service', () => {
    const all = tableActions.filter((action) => action !== 'read' && action !== 'write');
    expect(actionsOf({ roleDefinitionName: 'storage table data contributor' })).toEqual(all);
    const roleDefinitionId = '/x/roleDefinitions/0A9A7E1F-B9D0-4CC4-A60D-0319B160AAA3';
    expect(actionsOf({ roleDefinitionName: undefined, roleDefinitionId })).toEqual(all);
  });

  it.each([
    [['*'], [], [...tableActions]],
    [[`${prefix}/tables/entities/read`], [], ['tables/entities/read']],
    [[`${prefix.toUpperCase()}/TABLES/ENTITIES/READ`], [], ['tables/entities/read']],
    [[`${prefix}/tables/*/read`], [], ['tables/entities/read']],
    [[`${prefix}/*/read`], [`${prefix}/tables/read`], ['tables/entities/read']],
    [[`${prefix}/tables/entities`], [], []],
    [['Microsoft.Storage/storageAccounts/blobServices/*'], [], []],
    [['tables/entities/read'], [], []],
    [[], [], []],
  ])('with the actions %j without %j allows %j', (dataActions, notDataActions, expected) => {
    expect(actionsOf({ dataActions, notDataActions })).toEqual(expected);
  });

  it('is read by its actions before its name', () => {
    const dataActions = [`${prefix}/tables/delete`];
    expect(actionsOf({ roleDefinitionName: 'Storage Table Data Contributor', dataActions })).toEqual(['tables/delete']);
  });

  it.each([
    ['/', undefined, undefined],
    ['/subscriptions/S', undefined, undefined],
    ['/subscriptions/S/resourceGroups/G', undefined, undefined],
    ['/providers/Microsoft.Management/managementGroups/M', undefined, undefined],
    [account, 'shop', undefined],
    [`${account}/`, 'shop', undefined],
    [account.toUpperCase(), 'shop', undefined],
    ['…/storageAccounts/shop', 'shop', undefined],
    [`${account}/tableServices/default`, 'shop', undefined],
    [`${account}/tableServices/default/tables/Pets`, 'shop', 'pets'],
  ])('in the scope %s is for the account %s and the table %s', (scope, name, table) => {
    expect(parseScope(scope)).toEqual({ account: name, table });
  });

  it.each([
    `${account}/blobServices/default/containers/pets`,
    `${account}/tableServices/default/tables/pets/more`,
    `${account}/tableServices/other/tables/pets`,
    '/subscriptions/S/resourceGroups/G/providers/Microsoft.KeyVault/vaults/v',
    'shop',
    '/tenants/T',
  ])('in the scope %s allows nothing on tables, and is reported', (scope) => {
    expect(parse(entry({ scope }))).toEqual({
      assignments: [],
      ignored: [`Storage Table Data Reader on ${scope}`],
    });
  });

  it('of a role without actions on tables allows nothing, and the role is reported once', () => {
    const owner = entry({ roleDefinitionName: 'Owner' });
    const { roleDefinitionName: _, ...nameless } = entry({}) as { roleDefinitionName: string };
    expect(parse(owner, owner, nameless)).toEqual({ assignments: [], ignored: ['Owner', 'a role without a name'] });
  });

  it('covers tables in any case, and no other account', () => {
    const [ofAccount] = parse(entry({})).assignments;
    const [ofTable] = parse(entry({ scope: `${account}/tableServices/default/tables/Pets` })).assignments;
    const covered = (assignment: typeof ofAccount, name: string, table?: string): boolean =>
      assignment !== undefined && coversPlace(assignment, { account: name, table });
    expect([covered(ofAccount, 'shop'), covered(ofAccount, 'shop', 'any'), covered(ofAccount, 'shop2')]).toEqual([
      true,
      true,
      false,
    ]);
    const places = [['shop', 'PETS'], ['shop', 'petsy'], ['shop'], ['other', 'pets']];
    expect(places.map(([name = '', table]) => covered(ofTable, name, table))).toEqual([true, false, false, false]);
  });
});

describe('A file of role assignments is refused', () => {
  it.each([
    ['that is not JSON', '[', 'it is not a JSON list of role assignments'],
    ['that is empty', '', 'it is not a JSON list of role assignments'],
    ['that is an object', '{"value":[]}', 'it is not a JSON list of role assignments'],
    ['with an entry that is a text', '["x"]', 'entry 1 is not an object'],
    ['with an entry that is null', '[null]', 'entry 1 is not an object'],
    ['without a principalId', JSON.stringify([entry({}), entry({ principalId: ' ' })]), 'entry 2 has no principalId'],
    ['without a scope', JSON.stringify([entry({ scope: 7 })]), 'entry 1 has no scope'],
    ['whose actions are a text', JSON.stringify([entry({ dataActions: '*' })]), 'dataActions of entry 1 is not a list'],
    [
      'if its exceptions are numbers',
      JSON.stringify([entry({ dataActions: ['*'], notDataActions: [1] })]),
      'notDataActions of entry 1',
    ],
  ])('%s', (_, text, message) => {
    expect(() => parseRoleAssignments(text)).toThrow(message);
  });

  it('but not for a byte order mark', () => {
    expect(parseRoleAssignments('\ufeff[]')).toEqual({ assignments: [], ignored: [] });
  });
});
