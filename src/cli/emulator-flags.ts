import type { Command } from 'commander';
import type { ControlAddress } from './ask-emulator.ts';
import type { Environment } from './environment.ts';
import { readControlToken } from './read-control-token.ts';
import { UnusableOption } from './unusable-option.ts';

/** The flags that say where the emulator is that a command asks. */
export interface EmulatorFlags {
  readonly url?: string;
  readonly insecure?: true;
}

/** Those of a command that asks for more than the probes. */
export interface ControlFlags extends EmulatorFlags {
  readonly controlToken?: string;
}

// Where `tanzanite start` listens by itself; written out, since the settings of a start would load all of it.
const defaultUrl = 'http://127.0.0.1:10002';

export const emulatorEnvironmentHelp = '  TANZANITE_URL            as --url';
export const tokenEnvironmentHelp = `  TANZANITE_CONTROL_TOKEN  as --control-token, and out of the list of
                           processes`;

export const urlFlag = ['--url <address>', `where the emulator is (default: "${defaultUrl}")`] as const;

export function addEmulatorFlags(command: Command): Command {
  return command
    .option(...urlFlag)
    .option('--insecure', 'take any certificate of an https address, such as one of your own');
}

export function addControlFlags(command: Command): Command {
  return addEmulatorFlags(command).option('--control-token <token>', 'token that the emulator was started with');
}

/** Throws UnusableOption. */
export function readControlAddress(flags: ControlFlags, environment: Environment): ControlAddress {
  const token = readControlToken(flags.controlToken, environment);
  return { ...readEmulatorAddress(flags, environment), ...(token === undefined ? {} : { token }) };
}

/** Throws UnusableOption. */
export function readEmulatorAddress({ url, insecure }: EmulatorFlags, environment: Environment): ControlAddress {
  const fromEnvironment = environment['TANZANITE_URL'] || undefined;
  const source = url === undefined ? 'TANZANITE_URL' : '--url';
  return { url: readUrl(url ?? fromEnvironment ?? defaultUrl, source), ...(insecure ? { isInsecure: true } : {}) };
}

function readUrl(text: string, source: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).origin;
  throw new UnusableOption(`${source} ${text} is no address such as ${defaultUrl}.`);
}
