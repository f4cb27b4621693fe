// The flags of commands that ask a running emulator.

import type { Command } from 'commander';
import { accessRows } from '../settings/access-settings.ts';
import type { ControlAddress } from './ask-emulator.ts';
import type { Environment } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';
import { readSetting } from './setting-flags.ts';

export interface EmulatorFlags {
  readonly url?: string;
  readonly insecure?: true;
}

/** The flags of a command that needs more than the public routes. */
export interface ControlFlags extends EmulatorFlags {
  readonly controlToken?: string;
}

// Where `tanzanite start` listens by default.
export const defaultUrl = 'http://127.0.0.1:10002';

export const emulatorEnvironmentHelp = '  TANZANITE_URL            the same as --url';
export const tokenEnvironmentHelp = '  TANZANITE_CONTROL_TOKEN  the same as --control-token';

export const urlFlag = ['--url <address>', `find the emulator at this address (default: ${defaultUrl})`] as const;

export function addEmulatorFlags(command: Command): Command {
  return command.option(...urlFlag).option('--insecure', 'accept any certificate, such as a self-signed one');
}

export function addControlFlags(command: Command): Command {
  return addEmulatorFlags(command).option('--control-token <token>', 'send the token that the emulator requires');
}

/** Throws UnusableOption. */
export function readControlAddress(flags: ControlFlags, environment: Environment): ControlAddress {
  const token = readSetting(accessRows.controlToken, flags.controlToken, environment);
  return { ...readEmulatorAddress(flags, environment), ...(token === undefined ? {} : { token: String(token) }) };
}

/** Throws UnusableOption. */
export function readEmulatorAddress({ url, insecure }: EmulatorFlags, environment: Environment): ControlAddress {
  const fromEnvironment = environment['TANZANITE_URL'] || undefined;
  const source = url === undefined ? 'TANZANITE_URL' : '--url';
  return { url: readUrl(url ?? fromEnvironment ?? defaultUrl, source), ...(insecure ? { isInsecure: true } : {}) };
}

function readUrl(text: string, source: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).origin;
  throw new UnusableOption(`${source} ${text} is not an address such as ${defaultUrl}.`);
}
