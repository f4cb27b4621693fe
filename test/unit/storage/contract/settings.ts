import { expect, it } from 'vitest';
import { tableNamed } from '../../../support/entities.ts';
import type { Given } from './given.ts';

const acl = '[{"id":"größte \\u2028"}]';

export function describeSettings(given: () => Given): void {
  it('promise 10: access policies of a table are returned as they were set, for any case of its name', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: undefined });
    expect(await account.setTableAcl({ table: 'PETS', acl })).toEqual({ kind: 'set' });
    expect(await account.getTableAcl('pets')).toEqual({ kind: 'found', acl });
  });

  it('promise 9: the access policies of a deleted table are deleted with it', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    await account.setTableAcl({ table: 'Pets', acl });
    await account.deleteTable('Pets');
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'tableMissing' });
    expect(await account.setTableAcl({ table: 'Pets', acl })).toEqual({ kind: 'tableMissing' });
    await account.createTable(tableNamed('Pets'));
    expect(await account.getTableAcl('Pets')).toEqual({ kind: 'found', acl: undefined });
  });

  it('promise 10: the service properties are returned as they were set', async () => {
    const { account } = given();
    expect(await account.getServiceProperties()).toBeUndefined();
    await account.updateServiceProperties(() => acl);
    expect(await account.getServiceProperties()).toBe(acl);
  });

  it('promise 12: no concurrent change of the service properties is lost', async () => {
    const { account } = given();
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    await Promise.all(names.map((name) => account.updateServiceProperties((current = '') => `${current}${name} `)));
    expect((await account.getServiceProperties())?.trim().split(' ').sort()).toEqual(names.sort());
  });

  it('promise 12: a change that throws rejects with its error, changes nothing and does not affect others', async () => {
    const { account } = given();
    await account.updateServiceProperties(() => 'first');
    const refusal = new Error('not like this');
    const [lost, created] = await Promise.allSettled([
      account.updateServiceProperties(() => {
        throw refusal;
      }),
      account.createTable(tableNamed('Pets')),
    ]);
    expect(lost).toEqual({ status: 'rejected', reason: refusal });
    expect(created).toMatchObject({ status: 'fulfilled', value: { kind: 'created' } });
    expect(await account.getServiceProperties()).toBe('first');
  });

  it('promise 13: a listener is called for a change of the service properties, and for a clearing, before it is acknowledged', async () => {
    const { store, account } = given();
    const heard: unknown[] = [];
    store.onChange((name, what) => heard.push([name, what]));
    await account.createTable(tableNamed('Pets'));
    expect(heard).toEqual([]);
    await account.updateServiceProperties(() => 'first');
    expect(heard).toEqual([['devstoreaccount1', 'serviceProperties']]);
    await account.clear();
    expect(heard).toContainEqual(['devstoreaccount1', 'serviceProperties']);
    expect(heard).toHaveLength(2);
  });

  it('promise 14: an account that was not used does not exist, and nothing is created for it', async () => {
    const { store } = given();
    store.account('stranger');
    expect([await store.exists('stranger'), await store.exists('stranger')]).toEqual([false, false]);
    expect([await store.exists('../stranger'), await store.exists('')]).toEqual([false, false]);
    expect(await store.names()).toEqual([]);
  });

  it('promise 14: an account that was used exists, and every handle refers to it', async () => {
    const { store, account } = given();
    const early = store.account('devstoreaccount1');
    await account.createTable(tableNamed('Pets'));
    expect(await store.exists('devstoreaccount1')).toBe(true);
    expect(await early.findTable('Pets')).toMatchObject({ kind: 'found' });
    await store.openExisting(['devstoreaccount1', 'stranger']);
    expect(await store.names()).toEqual(['devstoreaccount1']);
    expect(await store.check()).toEqual({ damaged: [], isFull: false });
  });
}
