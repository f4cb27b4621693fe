// Manages the certificates of `--https auto`: an authority, which clients trust, and a server certificate, which the
// authority signed. Both are kept in a folder of private files, or only in memory. Users must trust the authority by
// hand, so a start keeps the existing authority if possible. A start creates a new authority only in three cases: no
// authority exists, the existing authority has expired, or it is not permitted to sign for a requested name. The server
// certificate is replaced whenever it no longer fits.

import { join } from 'node:path';
import { type CertificateNames, type NameSources, namesToAsk, namesToServe, permittedOf } from './certificate-names.ts';
import { encodeNamedPair, type NamedPair, type Pair, readNamedPair } from './named-pair.ts';
import { createPrivateFile, PrivateFileFault, readPrivateFile, replacePrivateFile } from './private-files.ts';
import { publish } from './public-file.ts';

export interface CertificateSource {
  /** The folder of the files; undefined if everything is in memory. */
  readonly folder: string | undefined;
  readonly names: NameSources;
  readonly nowMs: number;
}

export interface HttpsCertificates {
  /** The certificate of the authority, as PEM. */
  readonly authority: string;
  /** A file with the certificate of the authority and nothing else; undefined in memory. */
  readonly authorityFile: string | undefined;
  /** What the server sends, with its key. */
  readonly served: Pair;
  /** When `served` should be replaced. A certificate that ends with its authority is never replaced. */
  readonly renewalMs: number;
  /** Messages for the user: that there is a new authority, and why. */
  readonly notes: readonly string[];
  /** The same authority, with a new certificate if a renewal is due. */
  renew(nowMs: number): Promise<HttpsCertificates>;
}

const dayMs = 86_400_000;
const authorityMs = 3_652 * dayMs;
/** Limit: clients refuse certificates of servers that are valid for more than 398 days. */
const certificateMs = 397 * dayMs;
const renewalBeforeEndMs = 30 * dayMs;
/** New certificates are backdated by this time, so that a client whose clock is behind accepts them. */
const backdatedMs = 3_600_000;

/**
 * Opens or makes the certificates. Throws PrivateFileFault for an unusable file, and an Error for a name that a
 * certificate cannot have.
 */
export async function openCertificates(source: CertificateSource): Promise<HttpsCertificates> {
  const { pair, notes } = await openAuthority(source);
  const file = source.folder === undefined ? undefined : join(source.folder, publicFile);
  // The file is not secret. All users may read it, because a container that mounts it may run as any user.
  if (file !== undefined) publish(file, pair.certificate);
  return serveWith(pair, source, notes);
}

async function serveWith(
  authority: NamedPair,
  source: CertificateSource,
  notes: readonly string[],
): Promise<HttpsCertificates> {
  const served = await openCertificate(authority, source);
  return {
    authority: authority.certificate,
    authorityFile: source.folder === undefined ? undefined : join(source.folder, publicFile),
    served,
    renewalMs: served.endMs === authority.endMs ? Number.POSITIVE_INFINITY : served.endMs - renewalBeforeEndMs,
    notes,
    renew: (nowMs) => serveWith(authority, { ...source, nowMs }, []),
  };
}

/** The certificate of the authority in a folder; undefined if there is none. Throws PrivateFileFault. */
export function readAuthority(folder: string): { readonly certificate: string; readonly file: string } | undefined {
  const path = join(folder, authorityFile);
  const bytes = readPrivateFile(path);
  if (bytes === undefined) return undefined;
  return { certificate: readStoredAuthority(path, bytes).certificate, file: join(folder, publicFile) };
}

/** This file contains the private key, too. */
const authorityFile = 'authority.json';
const publicFile = 'authority.pem';
/** This file contains the private key, too. */
const certificateFile = 'certificate.json';

interface Opened {
  readonly pair: NamedPair;
  readonly notes: readonly string[];
}

async function openAuthority(source: CertificateSource): Promise<Opened> {
  const { folder } = source;
  if (folder === undefined) return { pair: await makeAuthorityFor(source), notes: [] };
  const path = join(folder, authorityFile);
  const bytes = readPrivateFile(path);
  if (bytes === undefined) {
    const made = await makeAuthorityFor(source);
    // Another process may have created the file in the meantime.
    const first = readStoredAuthority(path, createPrivateFile(path, encodeNamedPair(made)));
    if (whyUnfit(first, source) === undefined) {
      const notes = first.certificate === made.certificate ? [`made a certificate authority in ${folder}`] : [];
      return { pair: first, notes };
    }
  }
  const stored = readStoredAuthority(path, readPrivateFile(path) ?? Buffer.alloc(0));
  const why = whyUnfit(stored, source);
  if (why === undefined) return { pair: stored, notes: [] };
  const pair = await makeAuthorityFor(source);
  replacePrivateFile(path, encodeNamedPair(pair));
  return {
    pair,
    notes: [`made a new certificate authority in ${folder}: ${why}. Clients must trust the new authority`],
  };
}

/** Throws PrivateFileFault for a damaged file, because a start must not replace an authority that clients trust. */
function readStoredAuthority(path: string, bytes: Buffer): NamedPair {
  const pair = readNamedPair(bytes);
  if (pair?.isAuthority) return pair;
  throw new PrivateFileFault(
    `${path} is damaged. Restore the file from a copy, or remove it. If you remove it, the next start makes a new authority, which clients must trust.`,
  );
}

/** Why an authority can no longer be used, as the end of a sentence. */
function whyUnfit(authority: NamedPair, { names, nowMs }: CertificateSource): string | undefined {
  if (authority.endMs <= nowMs) return `the old one ended on ${new Date(authority.endMs).toISOString().slice(0, 10)}`;
  const asked = namesToAsk(names);
  const permitted = permittedOf(asked, authority.names);
  const missing = [...asked.hosts, ...asked.addresses].find(
    (name) => !permitted.hosts.includes(name) && !permitted.addresses.includes(name),
  );
  return missing === undefined ? undefined : `the old one may not sign for ${missing}`;
}

async function makeAuthorityFor({ names, nowMs }: CertificateSource): Promise<NamedPair> {
  const { makeAuthority } = await import('./certificate-signing.ts');
  return makeAuthority(namesToServe(names), { fromMs: nowMs - backdatedMs, toMs: nowMs + authorityMs });
}

async function openCertificate(authority: NamedPair, { folder, names, nowMs }: CertificateSource): Promise<NamedPair> {
  // If the machine has a new name and the authority is not permitted to sign for this name, the certificate does not
  // contain the name. No user asked for this name, so it does not justify a new authority.
  const needed = permittedOf(namesToServe(names), authority.names);
  const path = folder === undefined ? undefined : join(folder, certificateFile);
  const bytes = path === undefined ? undefined : readPrivateFile(path);
  const stored = bytes && readNamedPair(bytes);
  if (stored?.isSignedBy(authority.certificate) && covers(stored.names, needed)) {
    const isFresh = stored.endMs - renewalBeforeEndMs > nowMs || stored.endMs === authority.endMs;
    if (isFresh && stored.beginMs <= nowMs && nowMs < stored.endMs) return stored;
  }
  const { makeCertificate } = await import('./certificate-signing.ts');
  const toMs = Math.min(nowMs - backdatedMs + certificateMs, authority.endMs);
  const made = await makeCertificate(authority, needed, { fromMs: nowMs - backdatedMs, toMs });
  if (path !== undefined) replacePrivateFile(path, encodeNamedPair(made));
  return made;
}

const covers = (held: CertificateNames, needed: CertificateNames): boolean =>
  needed.hosts.every((name) => held.hosts.includes(name)) &&
  needed.addresses.every((name) => held.addresses.includes(name));
