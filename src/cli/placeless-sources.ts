// The sources of settings for an emulator that runs for one program. Settings of the address, the data and the log take
// effect only if they are given as flags.

import type { Command } from 'commander';
import { addressRows, certificateFlags } from '../settings/address-settings.ts';
import { adviceFlags } from '../settings/advisor-settings.ts';
import { dataRows } from '../settings/data-settings.ts';
import { logFlags } from '../settings/log-settings.ts';
import { processFlags } from '../settings/process-settings.ts';
import { namesOf } from '../settings/setting-names.ts';
import type { Environment } from './command-context.ts';
import { findGiven, openSources, type Sources } from './given-settings.ts';
import { flagRows } from './setting-flags.ts';

/**
 * The settings that make sense only for a server at a fixed address. For an emulator that runs for one program, values
 * of these settings in variables or in the settings file have no effect.
 */
const { seed: _seed, ...place } = dataRows;
const { port, host } = addressRows;
const ownRows = { port, host, ...certificateFlags, ...place, ...adviceFlags, ...logFlags, ...processFlags };
const ownNames = flagRows(ownRows).map(({ flag }) => namesOf(flag));

/**
 * Returns the sources for `start`: all sources, or those of `openPlacelessSources` if the emulator runs for the program
 * that holds its standard input. Throws UnusableOption.
 */
export function openStartSources(command: Command, environment: Environment): Sources {
  const sources = openSources(command, environment);
  const isForProgram = findGiven(processFlags.untilStdinEnds, sources)?.value === true;
  return isForProgram ? openPlacelessSources(command, environment) : sources;
}

/** The sources, without variables and members of the file for the settings in `ownRows`. Throws UnusableOption. */
export function openPlacelessSources(command: Command, environment: Environment): Sources {
  return withoutOwn(openSources(command, withoutOwnVariables(environment)));
}

function withoutOwnVariables(environment: Environment): Environment {
  const own = new Set(ownNames.map(({ variable }) => variable));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !own.has(name)));
}

function withoutOwn({ file, ...sources }: Sources): Sources {
  const own = new Set(ownNames.map(({ member }) => member));
  const members = Object.entries(file.members).filter(([name]) => !own.has(name));
  return { ...sources, file: { ...file, members: Object.fromEntries(members) } };
}
