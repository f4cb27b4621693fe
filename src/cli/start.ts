// `tanzanite start`: its flags and its help. The emulator itself is loaded by `context.start`.

import { type Command, Option } from 'commander';
import { settingGroups } from '../settings/settings-table.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, UnusableOption } from './exit-codes.ts';
import { openStartSources } from './placeless-sources.ts';
import { ignoredFlags, readStartOptions } from './read-start-options.ts';
import { flagOf, flagRows, oppositeOf } from './setting-flags.ts';

const help = `
Environment:
  AZURITE_ACCOUNTS                 accounts and their keys in base64, such as
                                   account1:key1[:key2];account2:key1…; without
                                   it devstoreaccount1 with its well-known key
  AZURITE_SKIP_API_VERSION_CHECK   true: the same as --skipApiVersionCheck
  NO_COLOR, FORCE_COLOR            never, or always, colour the log
  TANZANITE_…                      one for each flag: TANZANITE_TABLE_PORT=0 is
                                   the same as --tablePort 0,
                                   TANZANITE_SILENT=true as --silent

Every flag is also a member of tanzanite.json, such as "tablePort": 0. A flag
takes precedence over a variable, a variable over the file, and the file over
the profile. tanzanite settings prints the settings in force and their sources.
--table-port is the same as --tablePort, and so on.

Examples:
  tanzanite start --location ./data --durability power
  tanzanite start --inMemoryPersistence --silent --accounts any
  tanzanite start --throttle enforce --throttle-queue 0 --partition-target 500
  tanzanite start --profile strict
  tanzanite start --tableHost 0.0.0.0 --cert tls.pem --key tls.key
${exitCodesHelp}`;

/** `tanzanite start` */
export function addStart(command: Command, context: CommandContext): void {
  addStartFlags(command)
    .summary('start the table endpoint')
    .description('start the table endpoint; tanzanite without a command does the same')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(() => {
      refuseArguments(command);
      const sources = openStartSources(command, context.environment);
      return context.start({
        ...readStartOptions(sources, context.notice),
        // Loaded only when somebody asks for the settings.
        describeSettings: async () => (await import('./settings-in-force.ts')).reportSettings(sources),
      });
    });
}

/** Every setting as a flag, under the headings of the table. */
export function addStartFlags(command: Command): Command {
  for (const { heading, rows } of settingGroups) {
    command.optionsGroup(`${heading}:`);
    for (const row of flagRows(rows)) {
      command.addOption(flagOf(row));
      if (row.kind === 'switch') command.addOption(oppositeOf(row));
    }
  }
  for (const flag of ignoredFlags) command.addOption(new Option(flag).hideHelp());
  // refuseArguments refuses excess arguments and names the first one. Commander would only count them.
  return command.optionsGroup('').allowExcessArguments();
}

/** Throws UnusableOption. */
export function refuseArguments(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const name = command.name();
  throw new UnusableOption(
    `${name} takes flags only, not the word ${word}; a command comes first. tanzanite ${name} --help lists the flags`,
  );
}
