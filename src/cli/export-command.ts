import { type Command, Option } from 'commander';
import {
  chooseTables,
  type Exported,
  type ExportSource,
  type ExportTablesOptions,
  exportTables,
  streamTable,
} from '../data/export.ts';
import { FileFault } from '../data/file-fault.ts';
import { type FileFormat, fileFormats } from '../data/file-names.ts';
import { escapeControls } from '../model/printable-text.ts';
import type { CommandContext, Environment } from './command-context.ts';
import { openControlExport } from './control-tables.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { countText, interruptible, openProgress } from './progress.ts';
import { explainFileError, summary } from './seed-command.ts';
import { openStandardOutput, print, remark } from './standard-output.ts';

const help = `
Each table becomes a file in the folder, with its entities in key order. The
file tables.json holds the access policies. All files show the data of the same
moment. Entities in files have no timestamps. tanzanite seed reads the folder.

Files of tables that no longer exist stay, and standard error names them.
--clean removes such a file if it is empty or begins with an entity. With - as
the path, the command prints one table.

Examples:
  tanzanite export ./data
  tanzanite export --table People --format csv -

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface ExportFlags extends ControlFlags {
  readonly account?: string;
  readonly table?: readonly string[];
  readonly format: FileFormat;
  readonly clean?: true;
  readonly json?: true;
}

/** `tanzanite export` */
export function addExport(command: Command, { environment }: CommandContext): void {
  const collect = (name: string, names: readonly string[] = []): readonly string[] => [...names, name];
  addControlFlags(command)
    .summary('write tables of a running emulator as files')
    .description('write tables of a running emulator as files')
    .argument('<path>', 'the folder, created if missing; - prints the table')
    .option('--account <name>', 'the account of the tables (default: the first)')
    .addOption(new Option('--table <name>', 'export only this table (repeatable)').argParser(collect))
    .addOption(new Option('--format <format>', 'what to write').choices(fileFormats).default('ndjson'))
    .option('--clean', 'remove files of earlier exports if their tables no longer exist')
    .option('--json', 'print the result as JSON, and no progress')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((path: string, flags: ExportFlags) => exportTo(path, flags, environment));
}

async function exportTo(path: string, flags: ExportFlags, environment: Environment): Promise<void> {
  const { account, format, table: names } = flags;
  const emulator = { ...readControlAddress(flags, environment), ...(account === undefined ? {} : { account }) };
  const describe = (count: number): string => `${countText(count)} entities`;
  const progress = openProgress({ label: 'exporting', describe, isQuiet: flags.json === true || path === '-' });
  let hasPrinted = false;
  const onPrinted = (): void => {
    hasPrinted = true;
  };
  const onProgress = (entities: number): void => progress.update(entities);
  try {
    await interruptible(async (signal) => {
      const options = { format, signal, onProgress, ...(names === undefined ? {} : { tables: names }) };
      const source = await openControlExport(emulator, names);
      try {
        if (path === '-') return await printTable(source, { ...options, onPrinted });
        const exported = await exportTables(source, path, { ...options, isClean: flags.clean === true });
        progress.done();
        report(exported, flags);
      } finally {
        // If the emulator cannot be reached now, it will drop the export by itself.
        await source.close().catch(() => undefined);
      }
    });
  } catch (error) {
    progress.done();
    throw explainFileError(error, hasPrinted ? 'the output is incomplete' : noOutcome(path));
  }
}

const keptText = 'stays: it does not look like the file of an export';

function report(exported: Exported, { json, clean }: ExportFlags): void {
  const { tables, obsolete, removed = [] } = exported;
  for (const file of obsolete) {
    remark(`${file} ${clean ? keptText : 'is not from this export, but tanzanite seed would load it'}`);
  }
  if (json) print(`${JSON.stringify(exported)}\n`);
  else print(`${removed.map((file) => `removed ${escapeControls(file)}\n`).join('')}${summary(tables, 'exported')}`);
}

const noOutcome = (path: string): string => (path === '-' ? 'nothing was printed' : 'no file was changed');

interface Printing extends ExportTablesOptions {
  readonly onPrinted: () => void;
}

async function printTable(source: ExportSource, { onPrinted, ...options }: Printing): Promise<void> {
  const [table, ...others] = chooseTables(source, options.tables);
  if (!table || others.length > 0) throw new FileFault('- prints one table: name it with --table');
  const output = openStandardOutput();
  const write = (text: string): Promise<void> => {
    onPrinted();
    return output.write(text);
  };
  await streamTable(source, { ...options, table: table.name, write });
}
