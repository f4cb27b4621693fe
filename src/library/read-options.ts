import { developmentAccount } from '../auth/accounts.ts';
import { defaultSettings, type EmulatorSettings } from '../emulator.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import { optionFault, someOf } from './option-readers.ts';
import { optionTable } from './option-table.ts';

/** Throws TypeError for options that are unknown, have no such value or contradict each other: JavaScript has no compiler. */
export function readOptions(given: EmulatorOptions): EmulatorSettings {
  const options = readGiven(given, '');
  refuseContradictions(options);
  const { location, loose = false, tls, controlToken } = options;
  const { capacity } = defaultSettings;
  return {
    ...defaultSettings,
    host: options.host ?? defaultSettings.host,
    port: options.port ?? 0,
    durability: options.durability ?? defaultSettings.durability,
    accounts: options.accounts ?? defaultSettings.accounts,
    compatibility: {
      versions: options.apiVersions ?? (loose ? 'any' : 'newer'),
      isLoose: loose,
      retryAfterSeconds: options.retryAfterSeconds ?? 0,
    },
    tableDeleteDelayMs: options.tableDeleteDelayMs ?? 0,
    pageBoundaries: options.pageBoundaries ?? defaultSettings.pageBoundaries,
    capacity: { ...capacity, ...options.capacity, throttle: options.throttle ?? capacity.throttle },
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

const readGiven = someOf(optionTable);

function refuseContradictions({ location, inMemory, pageBoundaries, throttle }: EmulatorOptions): void {
  if ((inMemory ?? location === undefined) === (location !== undefined)) {
    throw optionFault('give either a location or inMemory, not both and not neither');
  }
  if (pageBoundaries === 'range' && throttle === 'off') {
    throw optionFault("pageBoundaries 'range' needs a throttle other than 'off': ranges come of counting");
  }
}
