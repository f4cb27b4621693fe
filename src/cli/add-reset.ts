import type { Command } from 'commander';
import {
  addEmulatorFlags,
  type EmulatorFlags,
  emulatorEnvironmentHelp,
  readEmulatorAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import type { Environment } from './environment.ts';
import { readControlToken } from './read-control-token.ts';
import { resetCommand } from './reset-command.ts';

interface ResetFlags extends EmulatorFlags {
  readonly account?: string;
  readonly table?: string;
  readonly controlToken?: string;
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
  return addEmulatorFlags(command)
    .summary('empty a running emulator, an account or a table')
    .description('empty a running emulator, one of its accounts or a table')
    .option('--account <name>', 'account to empty, or account of the table (there: the first of the emulator)')
    .option('--table <name>', 'empty only this table')
    .option('--control-token <token>', 'token that the emulator was started with')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite reset --help lists the flags)')
    .addHelpText('after', help)
    .action(({ account, table, controlToken, ...flags }: ResetFlags) => {
      const token = readControlToken(controlToken, environment);
      const emulator = { ...readEmulatorAddress(flags, environment), ...(token === undefined ? {} : { token }) };
      return resetCommand({
        emulator,
        wish: { ...(account === undefined ? {} : { account }), ...(table === undefined ? {} : { table }) },
      });
    });
}
