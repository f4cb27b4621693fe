import type { Command } from 'commander';
import { escapeControls, quote } from '../model/printable-text.ts';
import { askEmulator, type Question } from './ask-emulator.ts';
import type { CommandContext, Environment } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { print, remark } from './standard-output.ts';

const help = `
A snapshot contains the tables of an account with their entities, ETags,
timestamps and access policies, and the settings of the service. A restore
replaces the data at one moment, while requests run. With --table, save and
restore handle only that table. A save replaces the snapshot of the same name.

Examples:
  tanzanite snapshot save base
  tanzanite snapshot restore base
  tanzanite snapshot restore base --table People
  tanzanite snapshot list
  tanzanite snapshot delete base

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface SnapshotFlags extends ControlFlags {
  readonly account?: string;
  readonly table?: string;
  readonly json?: true;
}

interface Snapshot {
  readonly name: string;
  readonly savedAt: string;
  readonly tables: number;
  readonly table?: string;
}

/** `tanzanite snapshot` */
export function addSnapshot(command: Command, { environment }: CommandContext): void {
  command
    .summary('save and restore the data of an account')
    .description('save and restore the data of an account of a running emulator')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', help);
  addFlags(command.command('save').argument('<name>', 'any text'))
    .option('--table <name>', 'save only this table')
    .description('save the account, or a table of it')
    .action((name: string, flags: SnapshotFlags) => change('save', name, { flags, environment }));
  addFlags(command.command('restore').argument('<name>', 'the snapshot'))
    .option('--table <name>', 'restore only this table')
    .description('restore the contents of a snapshot')
    .action((name: string, flags: SnapshotFlags) => change('restore', name, { flags, environment }));
  addFlags(command.command('list'))
    .description('list the snapshots of the account')
    .action((flags: SnapshotFlags) => list(flags, environment));
  addFlags(command.command('delete').argument('<name>', 'the snapshot'))
    .description('delete a snapshot')
    .action((name: string, flags: SnapshotFlags) => change('delete', name, { flags, environment }));
}

function addFlags(command: Command): Command {
  return addControlFlags(command)
    .option('--account <name>', 'use the snapshots of this account (default: the first)')
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help);
}

interface Context {
  readonly flags: SnapshotFlags;
  readonly environment: Environment;
}

/** Longer than the largest table takes on a slow disk. */
const timeoutMs = 120_000;

const changes = {
  save: { method: 'PUT', after: '', said: 'saved' },
  restore: { method: 'POST', after: '/restore', said: 'restored' },
  delete: { method: 'DELETE', after: '', said: 'deleted' },
} as const;

/** Throws NoAnswer and UnusableOption. */
async function change(verb: keyof typeof changes, name: string, { flags, environment }: Context): Promise<void> {
  const { method, after, said } = changes[verb];
  const path = `snapshots/${segmentOf(name)}${after}${queryOf(flags)}`;
  const question: Question = { method, path, expects: 'name', timeoutMs };
  const answer = await askEmulator(question, readControlAddress(flags, environment));
  if (flags.json) return print(`${JSON.stringify(answer)}\n`);
  const { tables, table } = answer as unknown as Snapshot;
  const shown = escapeControls(name);
  if (verb === 'delete') return print(`deleted ${shown}\n`);
  const only = table ?? flags.table;
  const what = only === undefined ? countOf(tables) : `table ${only}`;
  print(`${said} ${shown}: ${what} of account ${String(answer['account'])}\n`);
}

async function list(flags: SnapshotFlags, environment: Environment): Promise<void> {
  const question: Question = { method: 'GET', path: `snapshots${queryOf(flags)}`, expects: 'snapshots' };
  const answer = await askEmulator(question, readControlAddress(flags, environment));
  if (flags.json) return print(`${JSON.stringify(answer)}\n`);
  const snapshots = answer['snapshots'] as readonly Snapshot[];
  for (const { name, savedAt, tables, table } of snapshots) {
    print(`${escapeControls(name)}  ${savedAt}  ${table === undefined ? countOf(tables) : `table ${table}`}\n`);
  }
  if (snapshots.length === 0) remark(`no snapshots of account ${String(answer['account'])}`);
}

const countOf = (tables: number): string => (tables === 1 ? '1 table' : `${tables} tables`);

/**
 * Encodes the name of a snapshot as a segment of an address. Throws UnusableOption for a name that cannot be in an
 * address. The emulator refuses all other invalid names.
 */
function segmentOf(name: string): string {
  if (name === '' || name === '.' || name === '..' || /\p{Cs}/u.test(name)) {
    throw new UnusableOption(`${quote(name)} is not a name for a snapshot.`);
  }
  return encodeURIComponent(name);
}

function queryOf({ account, table }: SnapshotFlags): string {
  const given = Object.entries({ account, table }).filter((one): one is [string, string] => one[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
