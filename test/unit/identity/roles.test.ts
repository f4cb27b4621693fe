import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assignmentOf } from '../../../src/identity/role-assignments.ts';
import { allows, openRoles, type Roles } from '../../../src/identity/roles.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = join(folder.path, 'roles.json');
const time = new ManualTime();
const shop = { account: 'shop', table: undefined };
const scope = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/shop';
const write = (...roles: readonly string[]): void =>
  writeFileSync(
    file,
    JSON.stringify(roles.map((roleDefinitionName) => ({ principalId: 'p', roleDefinitionName, scope }))),
  );
const contributor = 'Storage Table Data Contributor';

let lines: [level: string, fields: object][] = [];
const log = {
  info: () => undefined,
  warn: (fields: object) => void lines.push(['warn', fields]),
  error: (fields: object) => void lines.push(['error', fields]),
};
let roles: Roles | undefined;
const open = (): Roles => (roles = openRoles({ file, time, log }));
const canWrite = (id = 'p'): boolean => allows(roles?.find([id], shop, undefined) ?? [], 'tables/write');

beforeEach(() => {
  lines = [];
});
afterEach(() => roles?.close());
afterAll(() => folder.remove());

describe('A file of roles', () => {
  it('takes effect within a second after a change, both if it gives and if it takes a role', () => {
    write('Storage Table Data Reader');
    open();
    expect(canWrite()).toBe(false);
    write(contributor);
    time.advance(1_000);
    expect([canWrite(), canWrite('q')]).toEqual([true, false]);
    write();
    time.advance(1_000);
    expect(canWrite()).toBe(false);
  });

  it.each([
    ['is missing', () => rmSync(file)],
    ['is half written', () => writeFileSync(file, '[{"principalId":')],
    ['has an entry without a principal', () => writeFileSync(file, JSON.stringify([{ scope }]))],
    ['is empty', () => writeFileSync(file, '')],
  ])('keeps its last valid content while it %s; the log says so once', (_, damage) => {
    write(contributor);
    open();
    damage();
    for (let second = 0; second < 3; second++) time.advance(1_000);
    expect([canWrite(), canWrite('q'), lines.map(([level]) => level)]).toEqual([true, false, ['error']]);
    write();
    time.advance(1_000);
    expect(canWrite()).toBe(false);
  });

  it('names the roles that allow nothing in one line of the log', () => {
    write('Owner', 'Reader', contributor, 'Owner');
    open();
    expect(lines).toEqual([['warn', { file, ignored: ['Owner', 'Reader'] }]]);
  });

  it('cuts the name of a long role in the log', () => {
    write('x'.repeat(10_000));
    open();
    expect(JSON.stringify(lines).length).toBeLessThan(1_000);
    expect(JSON.stringify(lines)).toContain('9600 characters left out');
  });

  it('is refused at the start if it cannot be read', () => {
    expect(() => openRoles({ file: join(folder.path, 'none'), time, log })).toThrow('ENOENT');
  });

  it('is not read after it was closed', () => {
    write();
    open().close();
    write(contributor);
    time.advance(1_000);
    expect(canWrite()).toBe(false);
  });
});

describe('Roles that the issuer gives a principal', () => {
  const given = (...names: readonly string[]) => names.flatMap((role) => assignmentOf({ role }, 'p') ?? []);

  it('are its only roles if there is no file; a principal without roles is a contributor', () => {
    const all = openRoles({ time });
    expect(allows(all.find(['p'], shop, undefined), 'tables/write')).toBe(true);
    expect(allows(all.find(['p'], shop, given('Storage Table Data Reader')), 'tables/write')).toBe(false);
    expect(allows(all.find(['p'], shop, given('Owner')), 'tables/read')).toBe(false);
  });

  it('are added to those of a file', () => {
    write();
    const all = open();
    expect(allows(all.find(['p'], shop, undefined), 'tables/read')).toBe(false);
    expect(allows(all.find(['p'], shop, given(contributor)), 'tables/write')).toBe(true);
  });
});
