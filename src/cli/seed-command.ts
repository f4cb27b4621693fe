import type { Command } from 'commander';
import { FileFault } from '../data/file-fault.ts';
import { type SeededTable, type SeedTablesOptions, seedTables } from '../data/seed.ts';
import { findTableFiles } from '../data/table-files.ts';
import type { CommandContext, Environment } from './command-context.ts';
import { openControlSeed } from './control-tables.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { ControlRefusal, NoAnswer, UnusableOption } from './exit-codes.ts';
import { countText, Interrupted, interruptible, openProgress } from './progress.ts';
import { print } from './standard-output.ts';

const help = `
Each file contains one table and is named after it. People.ndjson has one entity
on each line, People.csv is an export of Azure Storage Explorer, and People.json
is one JSON array. A folder stands for the files in it; the file tables.json
contains access policies. A table that exists is replaced; other tables stay.
Either all files are loaded, or none.

Examples:
  tanzanite seed ./data
  tanzanite seed People.csv Orders.ndjson --account other1

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

export interface SeedFlags extends ControlFlags {
  readonly account?: string;
  readonly json?: true;
}

/** `tanzanite seed` */
export function addSeed(command: Command, { environment }: CommandContext): void {
  addControlFlags(command)
    .summary('fill tables of a running emulator from files')
    .description('fill tables of a running emulator from files')
    .argument('<path...>', 'files, or folders of files')
    .option('--account <name>', 'the account of the tables (default: the first)')
    .option('--json', 'print the result as JSON, and no progress')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((paths: readonly string[], flags: SeedFlags) => seed(paths, flags, environment));
}

async function seed(paths: readonly string[], flags: SeedFlags, environment: Environment): Promise<void> {
  const { account } = flags;
  const emulator = { ...readControlAddress(flags, environment), ...(account === undefined ? {} : { account }) };
  const describe = (count: number): string => `${countText(count)} entities`;
  const progress = openProgress({ label: 'seeding', describe, isQuiet: flags.json === true });
  let isFinishing = false;
  try {
    const tables = await interruptible(async (signal) => {
      const files = await findTableFiles(paths);
      const target = await openControlSeed(emulator);
      const finish = (): Promise<void> => {
        isFinishing = true;
        return target.finish();
      };
      const onProgress: SeedTablesOptions['onProgress'] = (entities, bytes) =>
        progress.update(entities, estimate(entities, bytes));
      return seedTables(files, { ...target, finish }, { signal, onProgress });
    });
    progress.done();
    print(flags.json ? `${JSON.stringify({ tables })}\n` : summary(tables, 'seeded'));
  } catch (error) {
    progress.done();
    const isUnknown = isFinishing && !(error instanceof ControlRefusal);
    throw explainFileError(error, isUnknown ? 'whether the tables were replaced is not known' : 'nothing was changed');
  }
}

/** Estimates the number of all entities from the part of the files that has been read. */
function estimate(entities: number, { read, total }: { readonly read: number; readonly total: number }): number {
  return read === 0 ? 0 : Math.max(entities, Math.round((entities * total) / read));
}

/** A line for each table, and a total. */
export function summary(tables: readonly SeededTable[], verb: string): string {
  const lines = tables.map(({ name, entities }) => `${name}: ${entitiesText(entities)}\n`);
  const sum = tables.reduce((count, { entities }) => count + entities, 0);
  const noun = tables.length === 1 ? 'table' : 'tables';
  return `${lines.join('')}${verb} ${tables.length} ${noun}, ${entitiesText(sum)}\n`;
}

const entitiesText = (count: number): string => (count === 1 ? '1 entity' : `${countText(count)} entities`);

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** `outcome` says what state the failure left. */
export function explainFileError(error: unknown, outcome: string): unknown {
  if (error instanceof FileFault) return new UnusableOption(`${error.message} (${error.outcome ?? outcome}).`);
  if (error instanceof NoAnswer) return new NoAnswer(`${error.message} ${sentence(outcome)}`);
  if (error instanceof Interrupted) return new Interrupted(error.exitCode, `interrupted: ${outcome}.`);
  return error;
}
