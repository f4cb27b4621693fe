import { expect, it } from 'vitest';
import { tableNamed } from '../entities.ts';
import type { Given } from './given.ts';

const acl = '[{"id":"größte \\u2028"}]';

export function describeSettings(given: () => Given): void {
  it('promise 10: the access policies of a table come back as they were set, found in any case', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: undefined });
    expect(await account.setTableAcl('PETS', acl)).toEqual({ kind: 'set' });
    expect(await account.getTableAcl('pets')).toEqual({ kind: 'found', acl });
  });

  it('promise 9: the access policies of a deleted table are gone with it', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    await account.setTableAcl('Pets', acl);
    await account.deleteTable('Pets');
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'tableMissing' });
    expect(await account.setTableAcl('Pets', acl)).toEqual({ kind: 'tableMissing' });
    await account.createTable(tableNamed('Pets'));
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: undefined });
  });

  it('promise 10: the settings of the service come back as they were set', async () => {
    const { account } = given();
    expect(await account.getServiceProperties()).toBeUndefined();
    await account.setServiceProperties(acl);
    expect(await account.getServiceProperties()).toBe(acl);
  });

  it('an account that was never used is not found, and nothing is made for it', () => {
    const { store } = given();
    expect(store.find('stranger')).toBeUndefined();
    expect(store.find('stranger')).toBeUndefined();
  });

  it('an account that was used is found', async () => {
    const { store, account } = given();
    await account.createTable(tableNamed('Pets'));
    expect(store.find('devstoreaccount1')).toBe(account);
  });
}
