import type { Command } from 'commander';
import { importAzurite } from '../data/azurite-import.ts';
import type { SeedTarget } from '../data/seed.ts';
import type { CommandContext, Environment } from './command-context.ts';
import { openControlSeed } from './control-tables.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { ControlRefusal } from './exit-codes.ts';
import { countText, interruptible, openProgress } from './progress.ts';
import { explainFileError, summary } from './seed-command.ts';
import { print, remark } from './standard-output.ts';

const help = `
The file is __azurite_db_table__.json in the folder of a stopped Azurite. Its
tables go to the accounts with the same names and replace tables that exist
there. Entities that the service would refuse are left out, and the command
prints their keys.

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface ImportFlags extends ControlFlags {
  readonly json?: true;
}

/** `tanzanite import` */
export function addImport(command: Command, { environment }: CommandContext): void {
  command
    .summary('take over the tables of Azurite')
    .description('take over the tables of another emulator')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (below) => below.name() });
  addControlFlags(command.command('azurite'))
    .description('take over the tables of Azurite, with their types, ETags and access policies')
    .argument('<file>', 'the file __azurite_db_table__.json of Azurite, or the folder that contains it')
    .option('--json', 'print the result as JSON, and no progress')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((file: string, flags: ImportFlags) => importFrom(file, flags, environment));
}

async function importFrom(file: string, flags: ImportFlags, environment: Environment): Promise<void> {
  const emulator = readControlAddress(flags, environment);
  const describe = (count: number): string => `${countText(count)} entities`;
  const progress = openProgress({ label: 'importing', describe, isQuiet: flags.json === true });
  const imported: string[] = [];
  let finishing: string | undefined;
  const open = async (account: string): Promise<SeedTarget> => {
    const target = await openControlSeed({ ...emulator, account }, { keepsTimestamps: true });
    const finish = async (): Promise<void> => {
      finishing = account;
      await target.finish();
      finishing = undefined;
      imported.push(account);
    };
    return { ...target, finish };
  };
  try {
    const { path, accounts, leftOut } = await interruptible((signal) =>
      importAzurite(file, {
        open,
        signal,
        onProgress: (done, total) => progress.update(done, total),
      }),
    );
    progress.done();
    if (accounts.length === 0 && leftOut.length === 0) remark(`${path} holds no tables: nothing was changed.`);
    if (flags.json) print(`${JSON.stringify({ accounts, leftOut })}\n`);
    else {
      for (const line of leftOut) remark(`left out: ${line}`);
      for (const { account, tables } of accounts) print(summary(tables, `account ${account}: imported`));
      if (leftOut.length > 0) print(`left out ${countText(leftOut.length)}, named on standard error\n`);
    }
  } catch (error) {
    progress.done();
    const unknown = error instanceof ControlRefusal ? undefined : finishing;
    throw explainFileError(error, outcomeText(imported, unknown));
  }
}

/** The state after a failure: the accounts that were imported, and the account for which this is unknown. */
function outcomeText(imported: readonly string[], unknown: string | undefined): string {
  if (imported.length === 0 && unknown === undefined) return 'nothing was changed';
  const parts = [
    ...(imported.length === 0 ? [] : [`imported: ${imported.join(', ')}`]),
    ...(unknown === undefined ? [] : [`whether account ${unknown} was imported is not known`]),
    'no other account was changed',
  ];
  return parts.join('; ');
}
