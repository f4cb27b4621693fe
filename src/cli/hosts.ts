import { isIP } from 'node:net';
import type { Command } from 'commander';
import type { CommandContext, Environment } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';
import { accountsFlag, checkAccountName, givenAccounts, readAccounts } from './read-accounts.ts';
import { print } from './standard-output.ts';

const help = `
Some programs can use only https://ACCOUNT.table.core.windows.net. If these
entries are in /etc/hosts, such programs reach an emulator that was started with
--https auto and listens on port 443 (docs/clients.md). The command changes no
file. While the entries are there, this machine cannot reach the accounts with
these names in Azure.

Examples:
  tanzanite hosts --account myaccount | sudo tee -a /etc/hosts
  tanzanite hosts --accounts accounts.txt --address 10.0.0.5

Environment:
  AZURITE_ACCOUNTS         accounts and keys, as the emulator was started with`;

interface HostsFlags {
  readonly account?: string;
  readonly accounts?: string;
  readonly address: string;
}

/** `tanzanite hosts` */
export function addHosts(command: Command, { environment }: CommandContext): void {
  command
    .summary('print entries of the hosts file for production host names')
    .description('print the entries of a hosts file that direct ACCOUNT.table.core.windows.net to an emulator')
    .option('--account <name>', 'print the entry of this account only')
    .option(...accountsFlag('the list of accounts'))
    .option('--address <address>', 'the IP address of the emulator', '127.0.0.1')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: HostsFlags) => {
      if (isIP(flags.address) === 0) throw new UnusableOption(`--address ${flags.address} is not an IP address.`);
      const lines = namesIn(flags, environment).map((name) => `${flags.address} ${hostsOf(name).join(' ')}\n`);
      print(lines.join(''));
    });
}

/** The hosts of the account and of its secondary. Clients ask the secondary for statistics. */
const hostsOf = (name: string): string[] => [name, `${name}-secondary`].map((host) => `${host}.table.core.windows.net`);

/** Throws UnusableOption. */
function namesIn({ account, accounts }: HostsFlags, environment: Environment): readonly string[] {
  if (account !== undefined) {
    checkAccountName(account);
    return [account];
  }
  const given = readAccounts(givenAccounts(accounts, environment));
  if (given.kind !== 'any') return given.accounts.map(({ name }) => name);
  throw new UnusableOption('--accounts any takes every name. Give an --account.');
}
