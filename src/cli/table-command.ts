import type { Command } from 'commander';
import { escapeControls } from '../model/printable-text.ts';
import type { CommandContext } from './command-context.ts';
import {
  addEndpointFlags,
  askEndpoint,
  type EndpointFlags,
  endpointHelp,
  findEndpoint,
  findEndpointToWrite,
} from './data-endpoint.ts';
import { openStandardOutput, remark } from './standard-output.ts';

const help = `
Examples:
  tanzanite table create People
  tanzanite table list
  tanzanite table delete People
${endpointHelp}`;

interface ListFlags extends EndpointFlags {
  readonly json?: true;
}

/** `tanzanite table` */
export function addTable(command: Command, { environment }: CommandContext): void {
  command
    .summary('list, create and delete tables')
    .description('list, create and delete the tables of an account in an emulator or in Azure')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', help);
  addEndpointFlags(command.command('list').option('--json', 'print one JSON array'))
    .description('print the names of the tables')
    .addHelpText('after', help)
    .action((flags: ListFlags) => listTables(flags, findEndpoint(flags, environment)));
  addEndpointFlags(command.command('create').argument('<name>', '3 to 63 letters and digits, a letter first'))
    .description('create a table')
    .addHelpText('after', help)
    .action(async (name: string, flags: EndpointFlags) => {
      const endpoint = findEndpointToWrite(flags, environment);
      await askEndpoint(endpoint, { table: name }, (client) => client.createTable(name));
      await openStandardOutput().write(`created table ${name} at ${endpoint.url}\n`);
    });
  addEndpointFlags(command.command('delete').argument('<name>', 'the table'))
    .description('delete a table with its entities')
    .addHelpText('after', help)
    .action(async (name: string, flags: EndpointFlags) => {
      const endpoint = findEndpointToWrite(flags, environment);
      await askEndpoint(endpoint, { table: name }, (client) => client.deleteTable(name));
      await openStandardOutput().write(`deleted table ${name} at ${endpoint.url}\n`);
    });
}

async function listTables({ json }: ListFlags, endpoint: ReturnType<typeof findEndpoint>): Promise<void> {
  const output = openStandardOutput();
  const names: string[] = [];
  await askEndpoint(endpoint, {}, async (client) => {
    for await (const page of client.listTables()) {
      names.push(...page);
      if (!json) await output.write(page.map((name) => `${escapeControls(name)}\n`).join(''));
    }
  });
  if (json) await output.write(`${JSON.stringify(names)}\n`);
  if (names.length === 0) remark(`no tables at ${endpoint.url}`);
}
