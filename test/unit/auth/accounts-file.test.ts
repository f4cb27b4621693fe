import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AccountsFile, openAccountsFile } from '../../../src/auth/accounts-file.ts';
import { isSignedBy } from '../../../src/auth/shared-key.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';

const folder = temporaryFolder();
const file = join(folder.path, 'accounts');
const keyOf = (text: string): string => Buffer.from(text.repeat(32)).toString('base64');
/** HMAC-SHA256 of an empty text by a key of 32 times `b`. */
const signatureByB = 'VCQX/Qw4yjcym2S1CDm/wfWystj2dSrjF34WWfQH88g=';

let opened: AccountsFile | undefined;
afterEach(() => opened?.close());

const isKnown = (account: string): boolean => opened?.accounts.keysOf(account) !== undefined;

describe('A file of accounts', () => {
  it('is read again when it changes, and kept as it was while it cannot be read', async () => {
    const onUnreadable = vi.fn();
    writeFileSync(file, `first:${keyOf('a')}`);
    opened = openAccountsFile(file, onUnreadable);
    expect([...opened.accounts.names()]).toEqual(['first']);
    expect(isSignedBy(opened.accounts.keysOf('first') ?? [], '', signatureByB)).toBe(false);

    writeFileSync(file, `first:${keyOf('b')};second:${keyOf('a')}:${keyOf('b')}`);
    await vi.waitFor(() => expect(isKnown('second')).toBe(true), { timeout: 8_000 });
    expect(opened.accounts.keysOf('second')).toHaveLength(2);
    expect(isSignedBy(opened.accounts.keysOf('first') ?? [], '', signatureByB)).toBe(true);

    rmSync(file);
    await vi.waitFor(() => expect(onUnreadable).toHaveBeenCalled(), { timeout: 8_000 });
    expect(isKnown('second')).toBe(true);
  }, 20_000);

  it('is refused when it cannot be read at first', () => {
    opened = undefined;
    expect(() => openAccountsFile(join(folder.path, 'none'), () => undefined)).toThrow('ENOENT');
  });
});
