// Starts Tanzanite and Azurite over HTTPS, with the same certificate and with bearer tokens. Azurite accepts bearer
// tokens only over HTTPS.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasAzurite, startAzurite, startTanzanite } from './servers.mjs';

export function hasOpenssl() {
  return spawnSync('openssl', ['version']).status === 0;
}

export async function startSecureServers() {
  const folder = mkdtempSync(join(tmpdir(), 'tanzanite-bench-'));
  try {
    const flags = ['--oauth', 'basic', ...createCertificate(folder)];
    const tanzanite = await startTanzanite({ flags });
    const azurite = hasAzurite() ? await startAzurite({ flags }) : undefined;
    return { tanzanite: { ...tanzanite, isSecure: true }, azurite: azurite && { ...azurite, isSecure: true } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function createCertificate(folder) {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const { status, stderr } = spawnSync(
    'openssl',
    ['req', '-x509', '-nodes', ...curve, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  return ['--cert', cert, '--key', key];
}
