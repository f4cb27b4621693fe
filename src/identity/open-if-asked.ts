// Loads the code for HTTPS and for issuing and judging tokens only if the settings ask for it.

import type { Https, HttpsOptions } from './open-https.ts';
import type { Identity, OpenIdentityOptions } from './open-identity.ts';
import type { OpenTokenJudge, TokenSettings } from './token-judge.ts';

interface AskedHttps {
  readonly https: 'off' | 'auto';
}

/** Rejects with the same errors as `openHttps`. */
export async function openHttpsIfAsked(settings: AskedHttps & HttpsOptions): Promise<Https | undefined> {
  if (settings.https !== 'auto') return undefined;
  const { openHttps } = await import('./open-https.ts');
  return openHttps(settings);
}

interface AskedIssuer extends AskedHttps, Pick<OpenIdentityOptions, 'location' | 'machineTime' | 'log'> {
  readonly identity: boolean;
  readonly oauth?: TokenSettings['oauth'] | undefined;
  readonly identityPrincipals?: string | undefined;
  readonly modelTime: OpenIdentityOptions['clock'];
  readonly tls?: unknown;
}

/** Rejects with PrincipalsFileFault. */
export async function openIssuerIfAsked(
  settings: AskedIssuer,
  texts: OpenIdentityOptions['texts'],
): Promise<Identity | undefined> {
  if (!settings.identity && settings.oauth === undefined) return undefined;
  const { openIdentity } = await import('./open-identity.ts');
  const { identityPrincipals: principalsPath, location, modelTime: clock, machineTime, log } = settings;
  const servesHttps = settings.tls !== undefined || settings.https === 'auto';
  return openIdentity({ location, texts, principalsPath, servesHttps, clock, machineTime, log });
}

/** With an issuer, signatures are verified unless the settings say otherwise. */
export async function openTokensIfAsked(
  settings: Omit<TokenSettings, 'oauth'> & { readonly oauth?: TokenSettings['oauth'] | undefined },
  identity: Identity | undefined,
): Promise<OpenTokenJudge | undefined> {
  const oauth = settings.oauth ?? (identity && 'verify');
  if (oauth === undefined) return undefined;
  const { openTokenJudge } = await import('./token-judge.ts');
  return openTokenJudge({ ...settings, oauth }, identity);
}
