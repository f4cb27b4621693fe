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
  /**
   * Take bearer tokens: `basic` reads what they hold, `verify` asks for the signature of a known key too. Without it they are
   * refused.
   */
  readonly oauth?: 'basic' | 'verify';
  /** With `oauth: 'verify'`: keys of other issuers, as a JSON Web Key Set in a file, or at an address that begins with https://. */
  readonly oauthKeys?: string;
  /** Take bearer tokens over http from other machines too. Default false: from this machine alone. */
  readonly oauthOverHttp?: boolean;
  /**
   * With `oauth`: a file of roles, as `az role assignment list` prints it. Without it everyone with a token is Storage Table Data
   * Contributor.
   */
  readonly roleAssignments?: string;
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
  oauth: {
    kind: 'choice',
    flag: '--oauth <level>',
    choices: {
      basic: 'what a token holds is checked, as Azurite does: issuer, audience, times',
      verify: 'its signature is checked too, with the keys of a known issuer',
    },
    defaultText: 'tokens are refused',
    help: 'take bearer tokens: basic or verify',
  },
  oauthKeys: {
    kind: 'text',
    flag: '--oauth-keys <file|url>',
    help: 'verify tokens with this JSON Web Key Set: a file, read again when it changes, or an address',
    details:
      'The address begins with `https://`, or with `http://` and a name of this machine. It is fetched at the first token, ' +
      'for a key that is not known, and every ten minutes while tokens come.',
  },
  oauthOverHttp: {
    kind: 'switch',
    flag: '--oauth-over-http',
    default: false,
    help: 'take bearer tokens over http from other machines too',
  },
  roleAssignments: {
    kind: 'text',
    flag: '--role-assignments <file>',
    defaultText: 'everyone with a token is Storage Table Data Contributor',
    help: 'give the holders of tokens these roles: what az role assignment list prints, read again when it changes',
  },
} as const satisfies RowsFor<AccessOptions>;
