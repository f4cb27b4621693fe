// The names in the certificate that `--https auto` creates, and the names for which its authority may sign.

import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

export interface CertificateNames {
  /** Host names. Only the first label can be a wildcard. */
  readonly hosts: readonly string[];
  readonly addresses: readonly string[];
}

export interface NameSources {
  /** The value of `--https-name`: names separated by commas. */
  readonly given: string;
  /** The address that the emulator listens on. */
  readonly listenHost: string;
  /** The name of this machine. */
  readonly machine: string;
}

/**
 * The names that every certificate contains. Programs that were written for production use
 * `ACCOUNT.table.core.windows.net` (docs/clients.md).
 */
const standard: CertificateNames = {
  hosts: ['localhost', '*.table.localhost', 'host.docker.internal', '*.table.core.windows.net'],
  addresses: ['127.0.0.1', '::1'],
};

/** Throws an Error for a name that a certificate cannot have. */
export function namesToServe({ given, listenHost, machine }: NameSources): CertificateNames {
  const asked = namesToAsk({ given, listenHost });
  return {
    hosts: unique([...standard.hosts, ...namesOf(machine.toLowerCase()), ...asked.hosts]),
    addresses: unique([...standard.addresses, ...asked.addresses]),
  };
}

const namesOf = (machine: string): string[] => (isHostName(machine) && !topLevelDomain.test(machine) ? [machine] : []);

/** Limit: clients refuse a TLS handshake whose certificates are too long, OpenSSL above 100 KB. */
const namesMax = 100;

/**
 * Returns the names that clients must be able to use: the given names and the host on which the emulator listens. If
 * the existing authority is not permitted to sign for one of these names, a new authority is made. Throws the same
 * errors as `namesToServe`.
 */
export function namesToAsk({ given, listenHost }: Omit<NameSources, 'machine'>): CertificateNames {
  const words = given
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length > namesMax)
    throw new Error(`${words.length} https names were given: at most ${namesMax} are accepted`);
  const names = words.map(readName);
  if (!isWildcardAddress(listenHost) && (isIP(listenHost) !== 0 || isHostName(listenHost)))
    names.push(readName(listenHost));
  return {
    hosts: names.filter((name) => isIP(name) === 0),
    addresses: names.filter((name) => isIP(name) !== 0),
  };
}

/**
 * Returns the name constraints of an authority, so that the authority can sign for the given names. A host in the
 * constraints also permits all names below this host.
 */
export const permittedBy = ({ hosts, addresses }: CertificateNames): CertificateNames => ({
  hosts: unique(hosts.map((host) => host.replace(/^\*\./, ''))),
  addresses: addresses.filter((address) => !isLoopback(address)),
});

/** The subset of names for which an authority with these permitted names may sign. */
export function permittedOf(names: CertificateNames, permitted: CertificateNames): CertificateNames {
  return {
    hosts: names.hosts.filter((name) => {
      const host = name.replace(/^\*\./, '');
      return permitted.hosts.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
    }),
    addresses: names.addresses.filter((address) => isLoopback(address) || permitted.addresses.includes(address)),
  };
}

const isLoopback = (address: string): boolean => address === '::1' || (isIPv4(address) && address.startsWith('127.'));

/** Whether an address means all addresses of the machine: `0.0.0.0` and `::`. */
export const isWildcardAddress = (address: string): boolean => /^[0.:]*$/.test(address);

/**
 * Matches a host name. Underscores are permitted, because names in compose files may contain underscores and clients
 * accept such names.
 */
const hostName =
  /^(?=.{1,253}$)(?:\*\.(?=[^.]+\.))?[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

const isHostName = (text: string): boolean => hostName.test(text) && isIP(text) === 0 && !/^[\d.]+$/.test(text);

/**
 * Matches a top-level domain. Anyone can have hosts under such a domain. If a constraint named the domain, it would
 * permit all these hosts. Every name of two letters matches, because such domains belong to countries. Limit: only two
 * kinds of longer domains match: the most common domains, and domains that could also be the name of a service, such as
 * `app` or `store`.
 */
const topLevelDomain =
  /^(?:[a-z]{2}|com|net|org|edu|gov|mil|int|arpa|info|biz|app|dev|cloud|azure|microsoft|google|online|site|shop|store|xyz|top)$/;

/** A name in lower case. An IPv6 address gets its shortest form, without decimal numbers. */
function readName(word: string): string {
  const bare = word.replace(/^\[(.*)\]$/, '$1');
  if (isIPv4(bare)) return bare;
  if (isIP(bare) !== 0 && !bare.includes('%')) return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const ascii = /[^\0-\x7f]/.test(word) ? domainToASCII(word) : word;
  const host = ascii.toLowerCase();
  if (topLevelDomain.test(host)) {
    throw new Error(
      `the https name ${JSON.stringify(word)} is a top-level domain: with this name, the authority could sign for every host in the domain. Name the host in full`,
    );
  }
  if (isHostName(host)) return host;
  throw new Error(`the https name ${JSON.stringify(word)} is neither the name of a host nor an IP address`);
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
