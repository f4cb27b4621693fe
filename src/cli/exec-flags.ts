// The flags of `exec` and `chaos`, which run a command with an emulator.

import { type Command, Option } from 'commander';
import type { Severity } from '../advisor/report.ts';
import { type ProfileName, profileRows } from '../settings/profile-settings.ts';
import { UnusableOption } from './exit-codes.ts';

export interface EmulatorForCommandFlags {
  readonly seed?: string;
  readonly profile?: ProfileName;
  readonly env: readonly string[];
}

export interface ExecFlags extends EmulatorForCommandFlags {
  readonly faults?: string;
  readonly faultSeed?: string;
  readonly record?: string;
  readonly failOn?: Severity;
}

export interface ChaosFlags extends EmulatorForCommandFlags {
  readonly only: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly out?: string;
  readonly json?: true;
  readonly junit?: string;
}

export function addEmulatorForCommandFlags(command: Command): Command {
  const collect = (word: string, before: readonly string[]): readonly string[] => [...before, word];
  const profiles = Object.keys(profileRows.profile.choices);
  return command
    .option('--seed <folder>', 'load the tables in this folder into the first account')
    .addOption(new Option('--profile <name>', 'take the settings of this profile, as start does').choices(profiles))
    .option('--env <name>', 'set this variable to the connection string too (repeatable)', collect, []);
}

/** Throws UnusableOption. */
export function refuseNames(names: readonly string[]): void {
  const wrong = names.find((name) => name === '' || name.includes('='));
  if (wrong !== undefined) throw new UnusableOption(`--env must be the name of a variable, not ${wrong || 'empty'}.`);
}
