// Tests that OpenSSL enforces the name constraints of an authority. Even with the stolen key of an authority, nobody
// can sign a valid certificate for names outside these constraints.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { namesToServe } from '../../../src/identity/certificate-names.ts';
import { makeAuthority, makeCertificate } from '../../../src/identity/certificate-signing.ts';
import { hasOpenssl, openssl } from '../../support/secure-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const validity = { fromMs: Date.now() - 1_000, toMs: Date.now() + 86_400_000 };
const names = namesToServe({ given: 'tanzanite,10.1.2.3,fd00::7,::ffff:1.2.3.4', listenHost: '', machine: 'box' });

describe.skipIf(!hasOpenssl)('The authority of --https auto (needs the openssl command)', () => {
  let folder: string;
  const authority = makeAuthority(names, validity);

  beforeAll(async () => {
    const made = temporaryFolder();
    folder = made.path;
    writeFileSync(join(folder, 'authority.pem'), (await authority).certificate);
    return made.remove;
  });

  async function verify(hosts: readonly string[], addresses: readonly string[] = []): Promise<string> {
    const { certificate } = await makeCertificate(await authority, { hosts, addresses }, validity);
    writeFileSync(join(folder, 'leaf.pem'), certificate);
    const words = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'authority.pem', 'leaf.pem'];
    const { stdout, stderr } = spawnSync(openssl, words, { cwd: folder, encoding: 'utf8' });
    return stdout + stderr;
  }

  it('is trusted with a certificate for all its names', async () => {
    expect(await verify(names.hosts, names.addresses)).toBe('leaf.pem: OK\n');
  });

  it.each(['api.tanzanite', 'x.localhost', 'acct.table.core.windows.net'])('may sign for %s', async (host) => {
    expect(await verify([host])).toBe('leaf.pem: OK\n');
  });

  it.each(['127.9.9.9', '::1', 'fd00::7', '::ffff:102:304'])('may sign for the address %s', async (address) => {
    expect(await verify(['localhost'], [address])).toBe('leaf.pem: OK\n');
  });

  it.each(['example.com', 'core.windows.net', 'login.microsoftonline.com', 'xtanzanite', 'boxes'])(
    'may not sign for %s',
    async (host) => {
      expect(await verify([host])).toContain('permitted subtree violation');
    },
  );

  it.each(['128.0.0.1', '10.1.2.4', '::2', 'fd00::8'])('may not sign for the address %s', async (address) => {
    expect(await verify(['localhost'], [address])).toContain('permitted subtree violation');
  });

  it('may not make another authority', async () => {
    const { stdout } = spawnSync(openssl, ['x509', '-in', 'authority.pem', '-noout', '-text'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout).toContain('CA:TRUE, pathlen:0');
    expect(stdout).toContain('X509v3 Name Constraints: critical');
  });
});
