import type { AccountKeys } from '../model/account-keys.ts';
import type { RowsFor } from './setting.ts';

export interface AccessOptions {
  /**
   * Accounts with their keys. With `any`, every name that the service allows is an account, and its key is the
   * development key. Each of several parallel workers can then use its own account. Default: the development account
   * that every Azure SDK knows.
   */
  readonly accounts?: readonly AccountKeys[] | 'any';
  /** Tell clients on this machine in the header `x-emulator-why` why a request was refused. Default true. */
  readonly explain?: boolean;
  /**
   * Accept, as the service does, writes that a web page of another origin sends without a preflight. Without this
   * option, such writes need a CORS rule of the account. Default false.
   */
  readonly allowForeignPages?: boolean;
  /**
   * The token that requests to `/_emulator/` must have: 16 to 1024 visible ASCII characters. Without a token, the
   * emulator accepts such requests only from this machine, and only if `host` is a loopback address.
   */
  readonly controlToken?: string;
  /**
   * Accept bearer tokens. `basic` checks their claims; `verify` also requires the signature of a known key. Without this
   * option, bearer tokens are refused.
   */
  readonly oauth?: 'basic' | 'verify';
  /**
   * Keys of other issuers for `oauth: 'verify'`: a JSON Web Key Set, in a file or at an address. The address begins
   * with https://, or with http:// and a name of this machine.
   */
  readonly oauthKeys?: string;
  /** Accept bearer tokens over http from other machines too. Default false: only from this machine. */
  readonly oauthOverHttp?: boolean;
  /**
   * With `oauth`: a file of roles in the format that `az role assignment list` prints. Without this file, every token has
   * the role Storage Table Data Contributor.
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
    help: 'accept any account name with the well-known key, or the accounts in a file that is read again when it changes',
    details:
      'The library takes `[{ name, keys }]`, or `any`. The file and the variable AZURITE_ACCOUNTS contain ' +
      '`account1:key1[:key2];account2:key1`, keys in base64.',
  },
  explain: {
    kind: 'switch',
    flag: '--no-explain',
    default: true,
    help: 'do not tell clients on this machine the reason for a refusal (header x-emulator-why)',
  },
  allowForeignPages: {
    kind: 'switch',
    flag: '--allow-foreign-pages',
    default: false,
    help: 'accept, as the service does, writes that web pages of other origins send without a preflight',
  },
  controlToken: {
    kind: 'text',
    flag: '--control-token <token>',
    isSecret: true,
    pattern: { regex: /^[\x21-\x7e]{16,1024}$/, expected: '16 to 1024 visible ASCII characters, without spaces' },
    help: 'require this token for /_emulator/ (TANZANITE_CONTROL_TOKEN keeps the token out of the process list)',
  },
  oauth: {
    kind: 'choice',
    flag: '--oauth <level>',
    choices: {
      basic: 'the claims of a token are checked, as in Azurite: issuer, audience, times',
      verify: 'the signature is checked too, with the keys of a known issuer',
    },
    defaultText: 'tokens are refused',
    help: 'accept bearer tokens: basic or verify',
  },
  oauthKeys: {
    kind: 'text',
    flag: '--oauth-keys <file|url>',
    help: 'verify tokens with this JSON Web Key Set: an address, or a file that is read again when it changes',
    details:
      'The address begins with `https://`, or with `http://` and a name of this machine. The key set is fetched when the ' +
      'first token arrives, when a token names an unknown key, and every ten minutes while tokens arrive.',
  },
  oauthOverHttp: {
    kind: 'switch',
    flag: '--oauth-over-http',
    default: false,
    help: 'accept bearer tokens over http from other machines too',
  },
  roleAssignments: {
    kind: 'text',
    flag: '--role-assignments <file>',
    defaultText: 'everyone with a token is Storage Table Data Contributor',
    help: 'give token holders the roles in this file (from az role assignment list), which is read again when it changes',
  },
} as const satisfies RowsFor<AccessOptions>;
