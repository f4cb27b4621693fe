// The issuer of tokens for the rest of the emulator. Its code and its keys are loaded on first use.

import { join, resolve } from 'node:path';
import { readKeyFile } from '../auth/key-file.ts';
import type { TokenIssuer } from '../auth/token-keys.ts';
import type { CreateIssuerOptions } from './create-issuer.ts';
import { defaultTenantId } from './identifiers.ts';
import type { Issuer } from './issuer.ts';
import type { PrincipalsFile } from './principals.ts';

export interface Identity {
  readonly tokenIssuer: TokenIssuer;
  /** Resolves with the same issuer each time. */
  readonly issuer: () => Promise<Issuer>;
  /** The folder of the issuer's files; absent if the data is in memory or in a database. */
  readonly folder?: string | undefined;
  readonly servesHttps: boolean;
}

export interface OpenIdentityOptions extends Pick<CreateIssuerOptions, 'texts' | 'clock' | 'machineTime' | 'log'> {
  /** The folder of the data. */
  readonly location?: string | undefined;
  /** The path of a file of principals. */
  readonly principalsPath?: string | undefined;
  readonly servesHttps: boolean;
}

/** The message names the file and says what is wrong, in one line. */
export class PrincipalsFileFault extends Error {}

/** An audience that some clients request for localhost, such as the Python SDK for any port except 10002. */
const extraAudience = 'https://cosmos.azure.com';

/** Rejects with PrincipalsFileFault. */
export async function openIdentity(options: OpenIdentityOptions): Promise<Identity> {
  const { location, texts, servesHttps, log } = options;
  const principalsFile = await readPrincipalsFile(options.principalsPath);
  const tenantId = principalsFile?.tenantId ?? defaultTenantId;
  const folder = location === undefined || texts ? undefined : join(resolve(location), 'identity');
  let issuer: Issuer | undefined;
  const open = async (): Promise<Issuer> => {
    const { createIssuer } = await import('./create-issuer.ts');
    issuer ??= createIssuer({ ...options, folder, tenantId, principalsFile });
    return issuer;
  };
  return {
    folder,
    servesHttps,
    issuer: open,
    tokenIssuer: {
      tenant: tenantId,
      iss: `https://sts.windows.net/${tenantId}/`,
      audiences: [extraAudience, `${extraAudience}/`],
      get generation() {
        return issuer?.generation ?? 0;
      },
      async find(kid) {
        try {
          return await (await open()).find(kid);
        } catch (err) {
          log?.error({ err }, 'the keys of the issuer cannot be read');
          return undefined;
        }
      },
    },
  };
}

async function readPrincipalsFile(path: string | undefined): Promise<PrincipalsFile | undefined> {
  if (path === undefined) return undefined;
  const { parsePrincipals } = await import('./principals.ts');
  try {
    return parsePrincipals(readKeyFile(path).toString('utf8'), (file) => readKeyFile(file).toString('utf8'));
  } catch (error) {
    throw new PrincipalsFileFault(`${path}: ${error instanceof Error ? error.message : error}`);
  }
}
