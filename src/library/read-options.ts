import { developmentAccount } from '../auth/accounts.ts';
import { parseControlToken } from '../auth/control-token.ts';
import type { CapacitySettings } from '../capacity/capacity-settings.ts';
import { defaultSettings, type EmulatorSettings } from '../emulator.ts';
import type { EmulatorOptions } from './emulator-options.ts';

/** Throws TypeError for options that contradict each other. */
export function readOptions(options: EmulatorOptions): EmulatorSettings {
  const { location, inMemory = location === undefined, loose = false, tls } = options;
  if (inMemory === (location !== undefined)) {
    throw new TypeError('startEmulator: give either a location or inMemory, not both and not neither');
  }
  if (options.accounts?.length === 0) throw new TypeError('startEmulator: accounts must name at least one account');
  const controlToken = options.controlToken === undefined ? undefined : readControlToken(options.controlToken);
  return {
    ...defaultSettings,
    host: options.host ?? defaultSettings.host,
    port: options.port ?? 0,
    durability: options.durability ?? defaultSettings.durability,
    accounts: options.accounts ?? defaultSettings.accounts,
    manners: {
      versions: options.apiVersions ?? (loose ? 'any' : 'newer'),
      isLoose: loose,
      retryAfterSeconds: options.retryAfterSeconds ?? 0,
    },
    tableDeleteDelayMs: options.tableDeleteDelayMs ?? 0,
    pageBoundaries: options.pageBoundaries ?? defaultSettings.pageBoundaries,
    capacity: capacityOf(options),
    requestsInFlightMax: options.requestsInFlightMax ?? defaultSettings.requestsInFlightMax,
    explainsAuthentication: options.explainAuth ?? false,
    replica: { status: options.secondary ?? 'live', lagMs: options.replicaLagMs ?? 0 },
    ...(location === undefined ? {} : { location }),
    ...(tls === undefined ? {} : { tls }),
    ...(controlToken === undefined ? {} : { controlToken }),
  };
}

/** The account that a connection string of the whole emulator names. */
export function firstAccount({ accounts }: EmulatorSettings): { readonly name: string; readonly key: string } {
  const [first] = accounts === 'any' ? [] : accounts;
  return { name: first?.name ?? developmentAccount.name, key: first?.keys[0] ?? developmentAccount.key };
}

function capacityOf({ throttle, capacity = {} }: EmulatorOptions): CapacitySettings {
  const settings = {
    ...defaultSettings.capacity,
    ...capacity,
    throttle: throttle ?? defaultSettings.capacity.throttle,
  };
  const { queueLength, ...positive } = settings;
  for (const [name, value] of Object.entries({ ...positive, queueLength: queueLength + 1 })) {
    if (typeof value === 'string' || (Number.isFinite(value) && value > 0)) continue;
    throw new TypeError(`startEmulator: capacity.${name} must be a number above 0`);
  }
  return settings;
}

function readControlToken(text: string): string {
  try {
    return parseControlToken(text);
  } catch (error) {
    throw new TypeError(`startEmulator: controlToken ${error instanceof Error ? error.message : String(error)}`);
  }
}
