// The library: start an emulator from a test with one call.

import { type AccountKeys, developmentAccount } from './auth/accounts.ts';
import { parseControlToken } from './auth/control-token.ts';
import { defaultSettings, runEmulator } from './emulator.ts';
import type { PageBoundaries } from './operations/operation-context.ts';

import type { VersionPolicy } from './protocol/service-version.ts';
import type { Durability } from './storage/store.ts';

export { StoreUnavailable, type StoreUnavailableReason } from './storage/store.ts';
export type { AccountKeys, Durability, PageBoundaries, VersionPolicy };

export interface EmulatorOptions {
  /** Port to listen on. Default 0: any free one. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Folder of the data, created when missing. Naming one means keeping the data. */
  readonly location?: string;
  /** Keep everything in memory. Default true, unless `location` is given. */
  readonly inMemory?: boolean;
  /** What a written answer promises on disk; see Durability. Default `process`. */
  readonly durability?: Durability;
  /**
   * Accounts and their keys, base64; or `any`: every name the service could have, with the development key, so that
   * parallel workers take one each. Default: the development account that every Azure SDK knows.
   */
  readonly accounts?: readonly AccountKeys[] | 'any';
  /**
   * Which `x-ms-version` is taken: the service's own list (`known`), also well-formed newer ones (`newer`), or whatever
   * is sent (`any`). Default `newer`.
   */
  readonly apiVersions?: VersionPolicy;
  /** Take what the service is documented to refuse, where the meaning is plain (docs/differences.md). Default false. */
  readonly loose?: boolean;
  /** How long the name of a deleted table answers TableBeingDeleted, in milliseconds. Default 0. */
  readonly tableDeleteDelayMs?: number;
  /** Tell callers on this machine in the header `x-emulator-explain-auth` why they are refused. Default false. */
  readonly explainAuth?: boolean;
  /** What Get Table Service Stats says of the secondary. Default `live`. */
  readonly secondary?: 'live' | 'bootstrap' | 'unavailable';
  /** How far it says that the secondary is behind, in milliseconds. Default 0. */
  readonly replicaLagMs?: number;
  /**
   * Where a page of a query may end before it is full: nowhere, or with every partition (`partition`), maybe empty and
   * with a continuation, as pages of the service may. Default `none`.
   */
  readonly pageBoundaries?: PageBoundaries;
  /**
   * Token that requests to `/_emulator/` must carry, 16 to 1024 characters of visible ASCII. Without one they are taken
   * from this machine only, and from nowhere when `host` is beyond loopback.
   */
  readonly controlToken?: string;
}

export interface Emulator {
  /** Address of the table endpoint without an account, e.g. `http://127.0.0.1:49152`. */
  readonly url: string;
  /** Connection string of the first account, as the Azure SDKs take it. */
  readonly connectionString: string;
  /** Stops listening, answers what is under way and lets go of the data. */
  close(): Promise<void>;
}

/**
 * Starts an emulator in this process. By default on a free port and in memory, so that tests do not meet.
 * Throws TypeError for options that contradict each other, StoreUnavailable when the data of `location` cannot be used,
 * and the system's error when the port is taken.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { location, inMemory = location === undefined, loose = false } = options;
  if (inMemory === (location !== undefined)) {
    throw new TypeError('startEmulator: give either a location or inMemory, not both and not neither');
  }
  const accounts = options.accounts ?? defaultSettings.accounts;
  const [first] = accounts === 'any' ? defaultSettings.accounts : accounts;
  if (!first) throw new TypeError('startEmulator: accounts must name at least one account');
  const controlToken = options.controlToken === undefined ? undefined : readControlToken(options.controlToken);
  const { url, close } = await runEmulator({
    ...defaultSettings,
    host: options.host ?? defaultSettings.host,
    port: options.port ?? 0,
    durability: options.durability ?? defaultSettings.durability,
    accounts,
    manners: { versions: options.apiVersions ?? (loose ? 'any' : 'newer'), isLoose: loose },
    tableDeleteDelayMs: options.tableDeleteDelayMs ?? 0,
    pageBoundaries: options.pageBoundaries ?? defaultSettings.pageBoundaries,
    explainsAuthentication: options.explainAuth ?? false,
    replica: { status: options.secondary ?? 'live', lagMs: options.replicaLagMs ?? 0 },
    ...(location === undefined ? {} : { location }),
    ...(controlToken === undefined ? {} : { controlToken }),
  });
  return { url, connectionString: connectionStringOf(url, first), close };
}

function readControlToken(text: string): string {
  try {
    return parseControlToken(text);
  } catch (error) {
    throw new TypeError(`startEmulator: controlToken ${error instanceof Error ? error.message : String(error)}`);
  }
}

function connectionStringOf(url: string, { name, keys }: AccountKeys): string {
  const key = keys[0] ?? developmentAccount.key;
  return `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};TableEndpoint=${url}/${name};`;
}
