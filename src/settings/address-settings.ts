import { dayMs, type RowsFor, type Setting } from './setting.ts';

export interface AddressOptions {
  /** Port to listen on. Default 0: any free port. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** A certificate and its private key, as PEM texts. With them, the emulator serves HTTPS. Default: HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /**
   * With `auto`, the emulator serves HTTPS as well as HTTP, on the same port, with a certificate that it makes. Clients
   * must trust the emulator's `certificateAuthority`. Default `off`.
   */
  readonly https?: 'off' | 'auto';
  /**
   * Further names and addresses for the certificate of `https: 'auto'`, separated by commas: `tanzanite,10.0.0.5`.
   * Default: none.
   */
  readonly httpsName?: string;
  /**
   * Folder for the authority, the certificate and their keys. Default: `https` in `location`, or memory if there is no
   * `location`.
   */
  readonly httpsDir?: string;
  /**
   * File to which the emulator writes the authority's certificate, so that other programs can trust it. Default: none.
   */
  readonly httpsAuthority?: string;
  /** Milliseconds after which an idle connection is closed. Default 72,000. */
  readonly keepAliveTimeoutMs?: number;
  /**
   * The most requests in progress at the same time; further requests get 503 ServerBusy immediately. Default 10,000.
   */
  readonly requestsInFlightMax?: number;
  /** Read the account's name from the path, even when the host names one (`account.table.…`). Default false. */
  readonly disableProductStyleUrl?: boolean;
}

/** @internal */
export const addressRows = {
  port: {
    kind: 'whole number',
    flag: '--tablePort <port>',
    min: 0,
    max: 65_535,
    default: 10002,
    libraryDefault: 0,
    help: 'listen on this port (0: any free port)',
  },
  host: {
    kind: 'text',
    flag: '--tableHost <address>',
    default: '127.0.0.1',
    image: '0.0.0.0',
    help: 'listen on this address',
  },
  tls: {
    kind: 'group',
    isPartial: false,
    help: 'serve HTTPS with this certificate and private key (PEM texts)',
    members: {
      cert: { kind: 'text', help: 'certificate' },
      key: { kind: 'text', help: 'private key', isSecret: true },
    },
  },
  https: {
    kind: 'choice',
    flag: '--https <mode>',
    default: 'off',
    choices: {
      off: 'HTTP, or HTTPS with `--cert`',
      auto: 'HTTPS as well as HTTP',
    },
    help: 'serve HTTPS as well, on the same port, with a certificate that the emulator makes',
    details: '[HTTPS](https.md) explains how to make clients trust it.',
  },
  httpsName: {
    kind: 'text',
    flag: '--https-name <names>',
    help: 'add these names and addresses, separated by commas, to the certificate of --https auto',
    details:
      'If the authority is not allowed to sign for a name, the emulator makes a new authority, which clients must then trust.',
  },
  httpsDir: {
    kind: 'text',
    flag: '--https-dir <folder>',
    defaultText: '`https` in the location',
    help: 'keep the authority and the certificate of --https auto in this folder',
    details:
      'If neither this setting nor a location is given, the authority and the certificate are kept in memory, and every start makes new ones.',
  },
  httpsAuthority: {
    kind: 'text',
    flag: '--https-authority <file>',
    help: "write the authority's certificate to this file, so that other programs can trust it",
    details: 'All users may read the file. In a container, the file can be in a volume that other containers mount.',
  },
  keepAliveTimeoutMs: {
    kind: 'whole number',
    flag: '--tableKeepAliveTimeout <seconds>',
    unit: 'ms',
    min: 0,
    max: dayMs,
    // The connection pools of the SDKs drop an idle connection after a shorter time than this.
    default: 72_000,
    help: 'close a connection that has been idle for this long',
  },
  requestsInFlightMax: {
    kind: 'whole number',
    flag: '--requests-in-flight-max <count>',
    unit: 'requests',
    min: 1,
    max: 1_000_000,
    default: 10_000,
    help: 'answer at most this many requests at a time; refuse more with 503 ServerBusy',
  },
  disableProductStyleUrl: {
    kind: 'switch',
    flag: '--disableProductStyleUrl',
    default: false,
    help: 'read the account from the path, even if the host names an account',
  },
} as const satisfies RowsFor<AddressOptions>;

/** Flags that are not options of the library. @internal */
export const certificateFlags = {
  cert: { kind: 'text', flag: '--cert <file>', help: 'serve HTTPS with this certificate, PEM or PFX' },
  key: { kind: 'text', flag: '--key <file>', help: 'use this private key for a PEM certificate' },
  pwd: {
    kind: 'text',
    flag: '--pwd <text>',
    isSecret: true,
    pattern: { regex: /^/, expected: 'a string' },
    help: 'use this password for a PFX certificate or an encrypted key',
  },
} as const satisfies Readonly<Record<string, Setting>>;
