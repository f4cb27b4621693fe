// Makes certificates. This module is loaded only when a certificate must be made, because it imports large packages. A
// start with valid certificate files does not need this module.

import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type CertificateNames, permittedBy } from './certificate-names.ts';
import { encodeNameConstraints, nameConstraintsId } from './name-constraints.ts';
import { describePair, type NamedPair, type Pair } from './named-pair.ts';

/** The period in which a certificate is valid. */
export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** P-256: every client supports it, and creating a key takes under a millisecond. */
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const organization = 'Tanzanite (emulator)';

/** A self-signed authority that can sign certificates only for these names, and cannot sign another authority. */
export async function makeAuthority(served: CertificateNames, { fromMs, toMs }: Validity): Promise<NamedPair> {
  const names = permittedBy(served);
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: makeSerial(),
    // The name is unique, so that trust stores can distinguish several authorities.
    name: [{ O: [organization] }, { CN: [`Tanzanite certificate authority ${makeSerial().slice(0, 8)}`] }],
    notBefore: new Date(fromMs),
    notAfter: new Date(toMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      new Extension(nameConstraintsId, true, new Uint8Array(encodeNameConstraints(names))),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return describePair(
    { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) },
    names,
  );
}

/** A certificate of a server with these names, signed by the authority. */
export async function makeCertificate(
  authority: Pair,
  names: CertificateNames,
  { fromMs, toMs }: Validity,
): Promise<NamedPair> {
  const keys = await makeKeys();
  const issuer = new X509Certificate(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: makeSerial(),
    issuer: issuer.subjectName,
    subject: [{ O: [organization] }, { CN: ['localhost'] }],
    notBefore: new Date(fromMs),
    notAfter: new Date(toMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...names.hosts.map((value) => ({ type: 'dns', value }) as const),
        ...names.addresses.map((value) => ({ type: 'ip', value }) as const),
      ]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return describePair(
    { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) },
    names,
  );
}

// The provider is set explicitly, because a test runner may have replaced the global `crypto`. The cast is needed
// because the package declares its own type for `crypto`.
cryptoProvider.set(webcrypto as never);

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

/** A serial number that is positive and unique. */
const makeSerial = (): string => `5${randomBytes(16).toString('hex').slice(1)}`;
