import type { Command } from 'commander';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import type { Environment } from './environment.ts';
import { resetCommand } from './reset-command.ts';

interface ResetFlags extends ControlFlags {
  readonly account?: string;
  readonly table?: string;
}

const help = `
Without --account and --table every account is emptied: its tables are gone and
its service has its first settings. A table that is named stays, with its access
policies, and loses its entities. The exit code is 1 when the emulator has no
answer.

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

/** `tanzanite reset` */
export function addReset(command: Command, environment: Environment): Command {
  return addControlFlags(command)
    .summary('empty a running emulator, an account or a table')
    .description('empty a running emulator, one of its accounts or a table')
    .option('--account <name>', 'account to empty, or account of the table (there: the first of the emulator)')
    .option('--table <name>', 'empty only this table')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite reset --help lists the flags)')
    .addHelpText('after', help)
    .action(({ account, table, ...flags }: ResetFlags) => {
      const emulator = readControlAddress(flags, environment);
      return resetCommand({
        emulator,
        wish: { ...(account === undefined ? {} : { account }), ...(table === undefined ? {} : { table }) },
      });
    });
}
