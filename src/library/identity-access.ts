import type { RunningEmulator } from '../emulator.ts';
import type { PrincipalRole } from '../identity/principal-role.ts';
import { identityVariables } from '../identity/variables.ts';

export interface PrincipalOptions {
  /** A name for people, shown in the console and the log. */
  readonly name?: string;
  /**
   * The principal's roles, which replace the default roles. A text is the name of a role. An object can also limit the
   * role to an account or to one of its tables. Storage Table Data Contributor and Storage Table Data Reader grant
   * rights on tables.
   */
  readonly roles?: readonly (string | PrincipalRole)[];
}

export interface PrincipalTokenOptions {
  /** Default `https://storage.azure.com`. */
  readonly audience?: string;
  /** How many minutes the token is valid, up to 1,440. Default 60. */
  readonly minutes?: number;
}

/** A principal with a secret. With `await using` it is removed at the end of the block. */
export interface EmulatorPrincipal extends AsyncDisposable {
  readonly tenantId: string;
  readonly name: string;
  /** `appid` of its tokens. */
  readonly clientId: string;
  /** `oid` of its tokens. */
  readonly objectId: string;
  readonly secret: string;
  /** An access token, made directly without a request over HTTP. */
  token(options?: PrincipalTokenOptions): Promise<string>;
  /** Removes the principal. From then on the holders of its tokens have no roles. */
  remove(): Promise<void>;
  /** Calls remove(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The issuer of tokens. If the emulator runs without the option `identity`, the methods reject with an Error whose
 * `code` is IdentityOff.
 */
export interface IdentityAccess {
  /** Makes a principal. Rejects with an Error that says what is wrong. */
  principal(options?: PrincipalOptions): Promise<EmulatorPrincipal>;
  /** An access token of the default principal. */
  token(options?: PrincipalTokenOptions): Promise<string>;
  /**
   * Resolves with the environment variables through which the Azure identity libraries find the issuer. Variables that
   * contain file paths are present only if the emulator has a `location`.
   */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** Signs with a new key from now on. Issued tokens stay valid until they expire. */
  rotateKeys(): Promise<{ readonly kid: string; readonly keys: number }>;
}

/** `running` throws if the emulator is closed. @internal */
export function identityAccess(running: () => RunningEmulator): IdentityAccess {
  const token = async (clientId: string | undefined, given: PrincipalTokenOptions = {}): Promise<string> => {
    const { audience, minutes } = readMembers(given, 'token', ['audience', 'minutes']) as PrincipalTokenOptions;
    const { identity } = running();
    return (
      await identity.giveToken({
        ...(clientId === undefined ? {} : { clientId }),
        ...(audience === undefined ? {} : { audience }),
        ...(minutes === undefined ? {} : { minutes }),
      })
    ).token;
  };
  return {
    async principal(given = {}) {
      const options = readMembers(given, 'principal', ['name', 'roles']) as PrincipalOptions;
      const { roles: _roles, ...made } = await running().identity.makePrincipal(options);
      // The principal may be removed, or its emulator closed, before the block ends.
      const remove = async (): Promise<void> => void (await running().identity.removePrincipal(made.clientId));
      return {
        ...made,
        token: (options) => token(made.clientId, options),
        remove,
        [Symbol.asyncDispose]: () => remove().catch(() => undefined),
      };
    },
    token: (options) => token(undefined, options),
    async environment() {
      const { identity, url } = running();
      const { files, ...given } = await identity.environment();
      return identityVariables({
        ...given,
        url,
        certificateFile: files?.certificate,
        federatedTokenFile: files?.federatedToken,
      });
    },
    rotateKeys: async () => running().identity.rotateKeys(),
  };
}

/** Throws TypeError for an invalid options object, because a misspelt member must not be ignored. */
function readMembers(given: unknown, method: string, members: readonly string[]): object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`identity.${method}: the argument must be an object`);
  }
  const unknown = Object.keys(given).find((name) => !members.includes(name));
  if (unknown === undefined) return given;
  throw new TypeError(`identity.${method}: there is no member ${unknown}; the members are ${members.join(', ')}`);
}
