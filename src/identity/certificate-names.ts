// The names of the certificate that `--https auto` makes, and those that its authority may sign for.

import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

export interface CertificateNames {
  /** Names of hosts; a wildcard is one label, the first. */
  readonly hosts: readonly string[];
  readonly addresses: readonly string[];
}

export interface NameSources {
  /** What `--https-name` gives, separated by commas. */
  readonly given: string;
  /** The address that the emulator listens on. */
  readonly listenHost: string;
  /** The name of this machine. */
  readonly machine: string;
}

/** The names of every certificate. Programs for production ask for `ACCOUNT.table.core.windows.net` (docs/clients.md). */
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

/** The names that clients must be able to use: without them, an authority does not do. Throws an Error as `namesToServe` does. */
export function namesToAsk({ given, listenHost }: Omit<NameSources, 'machine'>): CertificateNames {
  const words = given
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length > namesMax) throw new Error(`${words.length} https names were given; at most ${namesMax} are taken`);
  const names = words.map(readName);
  if (!isWildcardAddress(listenHost) && (isIP(listenHost) !== 0 || isHostName(listenHost)))
    names.push(readName(listenHost));
  return {
    hosts: names.filter((name) => isIP(name) === 0),
    addresses: names.filter((name) => isIP(name) !== 0),
  };
}

/** What the constraints of an authority for these names permit: a host permits the names below it, too. */
export const permittedBy = ({ hosts, addresses }: CertificateNames): CertificateNames => ({
  hosts: unique(hosts.map((host) => host.replace(/^\*\./, ''))),
  addresses: addresses.filter((address) => !isLoopback(address)),
});

/** The names of a list that an authority with these permitted names may sign for. */
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

/** `0.0.0.0` and `::` */
export const isWildcardAddress = (address: string): boolean => /^[0.:]*$/.test(address);

/** Host names with underscores exist in compose files, and clients accept them. */
const hostName =
  /^(?=.{1,253}$)(?:\*\.(?=[^.]+\.))?[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

const isHostName = (text: string): boolean => hostName.test(text) && isIP(text) === 0 && !/^[\d.]+$/.test(text);

/**
 * Names below which the hosts of strangers are: constraints permit all of them. Two letters are those of a country. Limit: of the other
 * top-level domains those that have most hosts, or that are names of services too.
 */
const topLevelDomain =
  /^(?:[a-z]{2}|com|net|org|edu|gov|mil|int|arpa|info|biz|app|dev|cloud|azure|microsoft|google|online|site|shop|store|xyz|top)$/;

/** In lower case; an IPv6 address in its shortest form, without decimal numbers. */
function readName(word: string): string {
  const bare = word.replace(/^\[(.*)\]$/, '$1');
  if (isIPv4(bare)) return bare;
  if (isIP(bare) !== 0 && !bare.includes('%')) return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const ascii = /[^\0-\x7f]/.test(word) ? domainToASCII(word) : word;
  const host = ascii.toLowerCase();
  if (topLevelDomain.test(host)) {
    throw new Error(
      `the https name ${JSON.stringify(word)} is a top-level domain: the authority could sign for every host below it. Name the host in full`,
    );
  }
  if (isHostName(host)) return host;
  throw new Error(`the https name ${JSON.stringify(word)} is neither the name of a host nor an IP address`);
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
