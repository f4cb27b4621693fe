// Checks a certificate and its key before the emulator opens its data or listens. If the key and the certificate have
// different types, OpenSSL accepts both without an error, and then every handshake fails. In other cases OpenSSL
// reports an error, but the error names neither a file nor a remedy.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';

/** Key and certificate, as PEM texts or as one PFX container. */
export type Tls = (PemPair | PfxContainer) & { readonly names?: TlsNames };

interface PemPair {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** The password of an encrypted key. */
  readonly passphrase?: string;
}

interface PfxContainer {
  readonly pfx: Buffer;
  readonly passphrase: string;
}

/** How messages name what is given, such as `--cert cert.pem`. */
export interface TlsNames {
  /** The certificate, or the PFX container. */
  readonly cert: string;
  readonly key: string;
  /** The setting of the password; absent if there is none. */
  readonly password?: string;
}

/** The message names the file, the fault and the remedy, in one line. */
export class CertificateFault extends Error {}

const libraryNames: TlsNames = { cert: 'tls.cert', key: 'tls.key' };

/**
 * Returns a warning if the certificate has expired or is not valid yet. Clients refuse such a certificate, but the
 * server can start. Throws CertificateFault if the certificate or the key cannot be used.
 */
export function checkCertificate({ names = libraryNames, ...tls }: Tls, nowMs: number): string | undefined {
  const leaf = 'pfx' in tls ? checkContainer(tls, names) : checkPair(tls, names);
  if (!leaf) return undefined;
  const { validFrom, validTo } = leaf;
  const consequence = 'clients that check certificates refuse it.';
  if (Date.parse(validTo) < nowMs) return `The certificate of ${names.cert} expired on ${validTo}: ${consequence}`;
  return Date.parse(validFrom) > nowMs
    ? `The certificate of ${names.cert} is not valid before ${validFrom}: ${consequence}`
    : undefined;
}

/** Returns the certificate that the server sends. Throws CertificateFault. */
function checkPair({ cert, key, passphrase }: PemPair, names: TlsNames): X509Certificate {
  const [certText, keyText] = [bytesOf(cert), bytesOf(key)].map((bytes) => bytes.toString('latin1')) as [
    string,
    string,
  ];
  const [isCert, isKey] = [pemCertificate.test(certText), pemPrivateKey.test(keyText)];
  if (!isCert && !isKey && pemPrivateKey.test(certText) && pemCertificate.test(keyText)) {
    throw new CertificateFault(
      `${names.cert} holds the private key and ${names.key} the certificate. Exchange the two.`,
    );
  }
  if (!isCert) throw new CertificateFault(`${names.cert} ${describeNoCertificate(bytesOf(cert), names)}`);
  if (!isKey) throw new CertificateFault(`${names.key} ${describeNoKey(bytesOf(key))}`);
  const privateKey = readPrivateKey({ key, keyText, passphrase }, names);
  const leaf = orRefuse(`${names.cert} cannot be used`, () => new X509Certificate(cert));
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new CertificateFault(describeMismatch({ leaf, certText, privateKey }, names));
  }
  orRefuse(`${names.cert} and ${names.key} cannot be used`, () => createSecureContext({ cert, key, passphrase }));
  return leaf;
}

const bytesOf = (content: string | Buffer): Buffer => (typeof content === 'string' ? Buffer.from(content) : content);

const pemCertificate = /^-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/m;
const pemPrivateKey = /^-----BEGIN (?:[A-Z0-9]+ )?PRIVATE KEY-----/m;
const pemEncrypted = /^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;
/** The beginning of a PFX container: a DER sequence that starts with the version, 3. */
const pfxStart = /^30(?:80|[0-7].|81..|82.{4}|83.{6})020103/;

const isPfx = (bytes: Buffer): boolean => pfxStart.test(bytes.subarray(0, 8).toString('hex'));

/** The end of a sentence that begins with the name of a file without a PEM certificate. */
function describeNoCertificate(bytes: Buffer, { password }: TlsNames): string {
  const text = bytes.toString('latin1');
  if (text.trim() === '') return 'is empty.';
  if (isPfx(bytes)) {
    if (password === undefined) return `is a PFX container. Convert it: ${containerToPem('')}.`;
    return `is a PFX container. Give its password with ${password}, and no key.`;
  }
  if (canRead(() => new X509Certificate(bytes)))
    return 'is a certificate in DER, not PEM. Convert it: openssl x509 -inform DER -in FILE -out cert.pem.';
  if (pemPrivateKey.test(text)) return 'holds a private key and no certificate.';
  if (text.includes('-----BEGIN CERTIFICATE REQUEST-----'))
    return 'is a certificate request. Give the certificate that was issued for it.';
  return 'holds no certificate in PEM (-----BEGIN CERTIFICATE-----).';
}

/** The command writes certificate and key to one file, which can be given as certificate and as key. */
const containerToPem = (flag: '-legacy ' | ''): string => `openssl pkcs12 ${flag}-in FILE -nodes -out tls.pem`;

function describeNoKey(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (text.trim() === '') return 'is empty.';
  const isDer = (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) =>
    canRead(() => createPrivateKey({ key: bytes, format: 'der', type })),
  );
  if (isDer) return 'is a private key in DER, not PEM. Convert it: openssl pkey -inform DER -in FILE -out key.pem.';
  if (pemCertificate.test(text)) return 'holds a certificate and no private key.';
  if (text.includes('PUBLIC KEY-----')) return 'holds a public key. Give the private one.';
  return 'holds no private key in PEM (-----BEGIN PRIVATE KEY-----).';
}

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

interface GivenKey {
  readonly key: string | Buffer;
  readonly keyText: string;
  readonly passphrase: string | undefined;
}

function readPrivateKey({ key, keyText, passphrase }: GivenKey, { key: name, password }: TlsNames): KeyObject {
  const isEncrypted = pemEncrypted.test(keyText);
  const decrypting = 'openssl pkey -in FILE -out key.pem';
  if (isEncrypted && passphrase === undefined) {
    const remedy = password === undefined ? 'Decrypt it' : `Give its password with ${password}, or decrypt it`;
    throw new CertificateFault(`${name} is encrypted. ${remedy}: ${decrypting}.`);
  }
  try {
    return createPrivateKey({ key, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch (error) {
    const reason = reasonOf(error);
    if (keyText.includes('OPENSSH PRIVATE KEY'))
      throw new CertificateFault(`${name} is in OpenSSH's own form. Convert it: ssh-keygen -p -m PEM -f FILE.`);
    if (isEncrypted && !/unsupported/i.test(reason))
      throw new CertificateFault(`${name} is encrypted with ${wrongPassword(password)} (${reason}).`);
    const remedy = isEncrypted ? ` Decrypt it: ${decrypting}.` : '';
    throw new CertificateFault(`${name} cannot be used: ${reason}.${remedy}`);
  }
}

interface Mismatch {
  readonly leaf: X509Certificate;
  readonly certText: string;
  readonly privateKey: KeyObject;
}

function describeMismatch({ leaf, certText, privateKey }: Mismatch, names: TlsNames): string {
  const blocks = certText.split(/(?=^-----BEGIN )/m).filter((block) => pemCertificate.test(block));
  const isLater = blocks.some((block) => {
    return canRead(() => new X509Certificate(block)) && new X509Certificate(block).checkPrivateKey(privateKey);
  });
  if (isLater) {
    const order = 'Put the certificate of the key first, then those that signed it.';
    return `${names.cert} does not begin with the certificate of ${names.key}. ${order}`;
  }
  const [held, needed] = [privateKey, leaf.publicKey].map(({ asymmetricKeyType = 'unknown' }) =>
    asymmetricKeyType.toUpperCase(),
  );
  const types = held === needed ? '' : `: it is of type ${held}, and the certificate is for a key of type ${needed}`;
  return `${names.key} is not the private key of the certificate in ${names.cert}${types}. Give a key and a certificate that were made together.`;
}

/** Returns the certificate that the server sends; undefined if Node does not show it. Throws CertificateFault. */
function checkContainer({ pfx, passphrase }: PfxContainer, names: TlsNames): X509Certificate | undefined {
  if (!isPfx(pfx)) throw new CertificateFault(`${names.cert} ${describeNoContainer(pfx)}`);
  try {
    const secureContext = createSecureContext({ pfx, passphrase });
    // The documented way to read the certificate of a context; nothing is sent.
    const socket = new TLSSocket(new PassThrough(), { isServer: true, secureContext });
    const leaf = socket.getX509Certificate();
    socket.destroy();
    return leaf;
  } catch (error) {
    throw new CertificateFault(describeContainerFault(reasonOf(error), passphrase, names));
  }
}

function describeNoContainer(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (text.trim() === '') return 'is empty.';
  if (pemCertificate.test(text)) return 'is PEM, not PFX. Give its private key with --key.';
  if (canRead(() => new X509Certificate(bytes))) return 'is a certificate in DER, without a private key.';
  return 'is not a PFX container.';
}

function describeContainerFault(reason: string, passphrase: string, { cert, password }: TlsNames): string {
  if (/mac verify/i.test(reason)) {
    return passphrase === ''
      ? `${cert} has a password. Give it${password === undefined ? '' : ` with ${password}`}.`
      : `${cert} has ${wrongPassword(password)} (${reason}).`;
  }
  if (/unsupported/i.test(reason)) {
    const remedy = `${containerToPem('-legacy ')}, and give tls.pem as certificate and as key`;
    return `${cert} is encrypted as older programs do, with RC2 or 3DES, which OpenSSL 3 does not read. Convert it: ${remedy}.`;
  }
  if (/private key/i.test(reason)) return `${cert} holds no private key. Export it again together with its key.`;
  return `${cert} cannot be used: ${reason}.`;
}

const wrongPassword = (password: string | undefined): string =>
  `another password than ${password === undefined ? 'the one given' : `that of ${password}`}`;

function orRefuse<Value>(subject: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new CertificateFault(`${subject}: ${reasonOf(error)}.`);
  }
}

/** OpenSSL's messages begin with the number of the error and its library. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^error:[0-9A-F]+:/i, '');
