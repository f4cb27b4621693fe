// `tanzanite store`: the schema of the database of --store.

import type { Command } from 'commander';
import { dataRows } from '../settings/data-settings.ts';
import { fileFlags } from '../settings/file-settings.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';
import type { CommandContext } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';
import { findGiven, openSources } from './given-settings.ts';
import { flagOf } from './setting-flags.ts';
import { print } from './standard-output.ts';
import { explainUnavailable } from './store-hints.ts';

const help = `
start creates the schema in an empty database and updates an older schema.
migrate does the same in advance, as a user with more rights. check reads the
schema without changing it. --store, TANZANITE_STORE or tanzanite.json names the
database.

Examples:
  tanzanite store check --store postgres://db.example.com/tables
  TANZANITE_STORE=postgres://db.example.com/tables tanzanite store migrate
  tanzanite store migrate --distributed`;

interface StoreFlags {
  readonly distributed?: boolean;
  readonly json?: true;
}

/** `tanzanite store` */
export function addStore(command: Command, context: CommandContext): void {
  command
    .summary('prepare and check the database of --store')
    .description('prepare and check the PostgreSQL database that --store names')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', help);
  const migrate = addFlags(command.command('migrate'));
  migrate
    .description('create or update the schema')
    .option('--distributed', 'distribute the entities over the workers of Citus')
    .action((flags: StoreFlags) => run(migrate, context, (url) => migrateStore(url, flags)));
  const check = addFlags(command.command('check'));
  check
    .description('check that the database can be used; change nothing')
    .action((flags: StoreFlags) => run(check, context, (url) => checkStore(url, flags)));
}

function addFlags(command: Command): Command {
  return command
    .addOption(flagOf({ ...dataRows.store, help: 'the address of the database (default: in TANZANITE_STORE)' }))
    .addOption(flagOf(fileFlags.config))
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help);
}

/** Throws UnusableOption. */
async function run(
  command: Command,
  { environment }: CommandContext,
  work: (url: string) => Promise<string>,
): Promise<void> {
  const url = findGiven(dataRows.store, openSources(command, environment))?.value;
  if (typeof url !== 'string') throw new UnusableOption('Name the database with --store or TANZANITE_STORE.');
  try {
    print(`${await work(url)}\n`);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new UnusableOption(explainUnavailable(error, url));
    throw error;
  }
}

async function migrateStore(url: string, { distributed = false, json }: StoreFlags): Promise<string> {
  const { storeTools } = await import('../emulator.ts');
  const { migratePostgres } = await storeTools();
  const { from, to } = await migratePostgres({ url, distributed });
  if (json) return JSON.stringify({ from, to });
  if (from === to) return `the schema has version ${to} already`;
  return from === 0 ? `made the schema, version ${to}` : `brought the schema from version ${from} to ${to}`;
}

async function checkStore(url: string, { json }: StoreFlags): Promise<string> {
  const { storeTools } = await import('../emulator.ts');
  const { checkPostgres } = await storeTools();
  const found = await checkPostgres({ url });
  if (json) return JSON.stringify(found);
  const { version, accounts, isDistributed } = found;
  if (version === 0) return 'the database has no schema yet; the first start or tanzanite store migrate creates it';
  const where = isDistributed ? ', distributed over the workers of Citus' : '';
  return `the schema has version ${version}, with ${accounts === 1 ? '1 account' : `${accounts} accounts`}${where}`;
}
