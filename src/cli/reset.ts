import type { Command } from 'commander';
import type { ResetTarget } from '../model/reset-target.ts';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { print } from './standard-output.ts';

const help = `
Without --account and --table it empties every account: it deletes all tables
and resets the settings of the service. With --table it deletes the entities of
a table and keeps the table with its access policies. --clock resets the clock,
and --faults removes all fault rules. With --clock or --faults, only a named
account or table is emptied.
The exit code is 1 if the emulator does not answer or refuses.

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

/** `tanzanite reset` */
export function addReset(command: Command, { environment }: CommandContext): void {
  addControlFlags(command)
    .summary('empty a running emulator, an account or a table')
    .description('empty a running emulator, one of its accounts, or a table')
    .option('--account <name>', 'empty only this account; with --table, the account of the table (default: the first)')
    .option('--table <name>', 'empty only this table')
    .option('--clock', 'reset the clock')
    .option('--faults', 'remove all fault rules')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(({ account, table, clock, faults, ...flags }: ControlFlags & ResetTarget) => {
      const target = {
        ...(account === undefined ? {} : { account }),
        ...(table === undefined ? {} : { table }),
        ...(clock && { clock }),
        ...(faults && { faults }),
      };
      return reset(readControlAddress(flags, environment), target);
    });
}

interface ResetAnswer {
  readonly accounts: readonly string[];
  readonly table?: string;
  readonly clock?: true;
  readonly faults?: true;
}

/** Prints what was emptied and reset. Throws NoAnswer. */
async function reset(emulator: ControlAddress, target: ResetTarget): Promise<void> {
  const answer = await askEmulator({ method: 'POST', path: 'reset', body: target, expects: 'accounts' }, emulator);
  const { accounts, table, clock, faults } = answer as unknown as ResetAnswer;
  if (clock) print('put the clock back\n');
  if (faults) print('removed all faults\n');
  if (accounts.length === 0) return;
  const place = `${accounts.length === 1 ? 'account' : 'accounts'} ${accounts.join(', ')}`;
  print(`emptied ${table === undefined ? place : `table ${table} of ${place}`}\n`);
}
