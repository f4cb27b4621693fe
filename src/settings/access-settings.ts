import type { AccountKeys } from '../model/account-keys.ts';
import type { RowsFor } from './setting.ts';

export interface AccessOptions {
  /**
   * Accounts with their keys; or `any`: every name that the service allows, with the development key, so that parallel
   * workers take one each. Default: the development account that every Azure SDK knows.
   */
  readonly accounts?: readonly AccountKeys[] | 'any';
  /** Tell clients on this machine in the header `x-emulator-why` why a request was refused. Default true. */
  readonly explain?: boolean;
  /**
   * Carry out a write that a web page of another origin makes a browser send without a preflight, as the service does, and
   * not only if a CORS rule of the account allows it. Default false.
   */
  readonly allowForeignPages?: boolean;
  /**
   * Token that requests to `/_emulator/` must carry, 16 to 1024 visible ASCII characters. Without a token the emulator
   * answers them to this machine only, and to no request when `host` is beyond loopback.
   */
  readonly controlToken?: string;
}

/** @internal */
export const accessRows = {
  accounts: {
    kind: 'custom',
    flag: '--accounts <any|file>',
    azuriteVariable: 'AZURITE_ACCOUNTS',
    expected: 'a list of { name, keys }, or any',
    defaultText: 'the development account',
    help: 'accept any account name with the well-known key, or the accounts in a file, read again when it changes',
    details:
      'The library takes `[{ name, keys }]`, or `any`. The file and the variable AZURITE_ACCOUNTS hold ' +
      '`account1:key1[:key2];account2:key1`, keys in base64.',
  },
  explain: {
    kind: 'switch',
    flag: '--no-explain',
    default: true,
    help: 'do not tell clients on this machine in the header x-emulator-why why a request was refused',
  },
  allowForeignPages: {
    kind: 'switch',
    flag: '--allow-foreign-pages',
    default: false,
    help: 'carry out writes of web pages of other origins without a preflight or a CORS rule, as the service does',
  },
  controlToken: {
    kind: 'text',
    flag: '--control-token <token>',
    isSecret: true,
    pattern: { regex: /^[\x21-\x7e]{16,1024}$/, expected: '16 to 1024 visible ASCII characters, without spaces' },
    help: 'require this token for /_emulator/ (TANZANITE_CONTROL_TOKEN keeps it out of the process list)',
  },
} as const satisfies RowsFor<AccessOptions>;
