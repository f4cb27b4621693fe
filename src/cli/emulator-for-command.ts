// An emulator in memory for one command: its settings, and how the command finds it.

import { Command } from 'commander';
import type { Advisor } from '../advisor/advisor.ts';
import { developmentAccount } from '../auth/accounts.ts';
import { keyConnectionString } from '../auth/connection-string.ts';
import { defaultEmulatorSettings, type EmulatorSettings, type RunningEmulator, runEmulator } from '../emulator.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import { accessRows } from '../settings/access-settings.ts';
import { describeProfile } from '../settings/describe-options.ts';
import type { CommandContext, Environment, StartCommandOptions } from './command-context.ts';
import type { EmulatorForCommandFlags, ExecFlags } from './exec-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { findGiven, type Sources } from './given-settings.ts';
import { openPlacelessSources } from './placeless-sources.ts';
import { readAccounts } from './read-accounts.ts';
import { readStartOptions } from './read-start-options.ts';
import { reportSettings } from './settings-in-force.ts';
import { addStartFlags } from './start.ts';
import { explainStartFailure } from './start-failure.ts';

/** Settings that are read and checked. Each start runs a new emulator. */
export interface EmulatorPlan {
  readonly settings: StartCommandOptions['settings'];
  readonly sources: Sources;
  /** The account whose connection string is in the environment of the command. */
  readonly account: { readonly name: string; readonly key: string };
}

type PlannedFlags = EmulatorForCommandFlags & Pick<ExecFlags, 'faults' | 'faultSeed' | 'record'>;

/** Reads the settings of `start`, but in memory and on a free port of this machine. Throws UnusableOption. */
export function planEmulator(flags: PlannedFlags, { environment, notice }: CommandContext): EmulatorPlan {
  const { seed, profile, faults, faultSeed, record } = flags;
  const given = Object.entries({
    '--seed': seed,
    '--profile': profile,
    '--faults': faults,
    '--fault-seed': faultSeed,
    '--record': record,
  });
  const words = ['--inMemoryPersistence', '--tableHost', '127.0.0.1', '--tablePort', '0'];
  const start = addStartFlags(new Command('start')).parse(
    [...words, ...given.flatMap(([flag, word]) => (word === undefined ? [] : [flag, word]))],
    { from: 'user' },
  );
  const sources = openPlacelessSources(start, environment);
  const { settings } = readStartOptions(sources, notice);
  if (settings.profile !== 'default') notice(describeProfile(settings.profile, reportSettings(sources)));
  return { settings, sources, account: firstAccount(sources) };
}

function firstAccount(sources: Sources): EmulatorPlan['account'] {
  const given = readAccounts(findGiven(accessRows.accounts, sources));
  const [first] = given.kind === 'any' ? [] : given.accounts;
  return { name: first?.name ?? developmentAccount.name, key: first?.keys[0] ?? developmentAccount.key };
}

export interface StartHooks {
  readonly notice: CommandContext['notice'];
  /** Receives the messages of the emulator's start, such as the seed of faults. */
  readonly onInfo?: (line: string) => void;
  /** Receives the record of each request when the request is over. */
  readonly onRequest?: EmulatorSettings['onRequest'];
  /** The same as in EmulatorSettings. */
  readonly onStopped?: (advisor: Advisor | undefined) => Promise<void>;
}

/** Throws UnusableOption. */
export async function startPlanned(
  { settings, sources }: EmulatorPlan,
  { notice, onInfo, onRequest, onStopped }: StartHooks,
): Promise<RunningEmulator> {
  const log: EmulatorLog = {
    info: (_fields, message) => onInfo?.(message),
    warn: () => undefined,
    error: (fields, message) => notice(describeError(fields, message)),
  };
  try {
    return await runEmulator({
      ...defaultEmulatorSettings,
      ...settings,
      log,
      describeSettings: async () => reportSettings(sources),
      ...(onRequest && { onRequest }),
      ...(onStopped && { onStopped }),
    });
  } catch (error) {
    if (error instanceof UnusableOption) throw error;
    throw new UnusableOption(explainStartFailure(error, settings));
  }
}

function describeError({ err }: { readonly err?: unknown }, message: string): string {
  return err instanceof Error ? `${message}: ${err.message}` : message;
}

/** Variables that would lead a program to another account. They are replaced if they are set. */
const rivalVariables = ['AZURE_TABLES_CONNECTION_STRING', 'TANZANITE_CONNECTION_STRING'];

/** The environment of a command, in which it finds the emulator. */
export function environmentOf(
  { url }: RunningEmulator,
  {
    account,
    names,
    environment,
  }: Pick<EmulatorPlan, 'account'> & {
    readonly names: readonly string[];
    readonly environment: Environment;
  },
): Environment {
  const connectionString = keyConnectionString({ ...account, url: `${url}/${account.name}` });
  const rivals = rivalVariables.filter((name) => environment[name]);
  const variables = ['AZURE_STORAGE_CONNECTION_STRING', 'AzureWebJobsStorage', ...rivals, ...names];
  return {
    ...environment,
    TANZANITE_URL: url,
    ...Object.fromEntries(variables.map((name) => [name, connectionString])),
  };
}
