// Makes the certificate of the default principal. An application registers this kind of certificate with Entra. The
// certificate is self-signed. Its key is an RSA key, because the identity libraries sign assertions only by RS256 or
// PS256. This module is loaded only when a certificate must be made.

import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { cryptoProvider, X509CertificateGenerator } from '@peculiar/x509';
import type { StoredCertificate } from './identity-state.ts';

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const;

const dayMs = 86_400_000;
const validDays = 3_650;

/** Valid for ten years of the machine's time. */
export async function createClientCertificate(nowMs: number): Promise<StoredCertificate> {
  cryptoProvider.set(webcrypto as never);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ O: ['Tanzanite (emulator)'] }, { CN: ['client'] }],
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + validDays * dayMs),
    signingAlgorithm: algorithm,
    keys,
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
