import type { Command } from 'commander';
import type { EmulatorSettings } from '../emulator.ts';
import type { Settings } from '../settings/settings.ts';
import type { LogOptions } from './log.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What `tanzanite start` runs with. */
export interface StartCommandOptions {
  readonly settings: Omit<Settings, OwnForm> & Partial<Pick<EmulatorSettings, OwnForm>>;
  /** No log line for each request. */
  readonly silent: boolean;
  /** The emulator stops when standard input ends. */
  readonly untilStdinEnds: boolean;
  /** The advisor's report is printed at the end. */
  readonly advises: boolean;
  readonly debugFile?: string;
  /** The settings in force, for GET /_emulator/settings. */
  readonly describeSettings?: EmulatorSettings['describeSettings'];
  readonly log: Pick<LogOptions, 'isPretty' | 'isJsonOnly' | 'level'>;
}

/** Settings that the command line takes in another form: as files and variables. */
type OwnForm = 'accounts' | 'accountsFile' | 'tls' | 'otlpVariables';

/** What commands take from the process; tests replace it. */
export interface CommandContext {
  readonly environment: Environment;
  /** Starts the emulator. Throws UnusableOption. */
  readonly start: (options: StartCommandOptions) => Promise<void>;
  /** Prints a line for the user, for example about a setting that was accepted but has no effect. */
  readonly notice: (line: string) => void;
}

/** Gives a command its flags, help and action. */
export type AddCommand = (command: Command, context: CommandContext) => void;
