import type { Issuer } from '../../identity/issuer.ts';
import type { Identity } from '../../identity/open-identity.ts';
import type { ControlTools } from '../control-route.ts';
import type {
  GivenAccessToken,
  IdentityEnvironment,
  IdentityReport,
  MadePrincipal,
  PrincipalRequest,
  TokenRequestBody,
} from './identity-actions.ts';
import { identityOf } from './identity-of.ts';

/**
 * The functions of /_emulator/identity, for a program that runs the emulator in its own process. The methods reject
 * with ControlError.
 */
export interface RunningIdentity {
  report(): Promise<IdentityReport>;
  environment(clientId?: string): Promise<IdentityEnvironment>;
  giveToken(request: TokenRequestBody): Promise<GivenAccessToken>;
  makePrincipal(request: PrincipalRequest): Promise<MadePrincipal>;
  removePrincipal(clientId: string): Promise<object>;
  rotateKeys(): Promise<{ readonly kid: string; readonly keys: number }>;
}

type Actions = typeof import('./identity-actions.ts');

export type IdentityTools = Pick<ControlTools, 'identity' | 'onInternalError'>;

/** Modules are loaded on first use. */
export function identityWith(tools: IdentityTools): RunningIdentity {
  const run = async <Result>(
    act: (actions: Actions, issuer: Issuer, identity: Identity) => Promise<Result>,
  ): Promise<Result> => {
    const identity = identityOf(tools);
    const actions = await import('./identity-actions.ts');
    try {
      return await act(actions, await identity.issuer(), identity);
    } catch (error) {
      throw actions.issuerFault(error, tools);
    }
  };
  return {
    report: () => run((actions, issuer) => actions.reportIdentity(issuer)),
    environment: (clientId) =>
      run((actions, issuer, { folder, servesHttps }) =>
        actions.describeEnvironment(issuer, { clientId, folder, servesHttps }),
      ),
    giveToken: (request) => run((actions, issuer) => actions.giveToken(issuer, request)),
    makePrincipal: (request) => run((actions, issuer) => actions.makePrincipal(issuer, request)),
    removePrincipal: (clientId) => run((actions, issuer) => actions.removePrincipal(issuer, clientId)),
    rotateKeys: () => run((_actions, issuer) => issuer.rotate()),
  };
}
