import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { copyAccount, newTally, planCopy } from '../data/copy/copy-account.ts';
import type { Tally } from '../data/copy/copy-table.ts';
import { type CopyNotes, notesFile, openNotes } from '../data/copy/notes.ts';
import { SideError } from '../data/copy/side.ts';
import { ServiceRefusal } from '../data/table-client.ts';
import { escapeControls, quote } from '../model/printable-text.ts';
import { systemModelTime } from '../model/time.ts';
import type { CommandContext, Environment } from './command-context.ts';
import { printOutcomes, printPlan } from './copy-output.ts';
import { count, showProgress } from './copy-progress.ts';
import { findSides, type SideFlags, type Sides } from './copy-sides.ts';
import { askEndpoint } from './data-endpoint.ts';
import { exitCodeInterrupted, UnusableOption } from './exit-codes.ts';
import { remark } from './standard-output.ts';

const help = `
A side is the account of a connection string: of an emulator, of Azurite, of
Azure. It is @FILE (the first line of a file), env:NAME (a variable), or the
string itself, which other users of the machine can read while the copy runs.

Entities are inserted or replaced; other entities and tables at the target
stay. A copy that was interrupted goes on where it was when it is run again.

Examples:
  tanzanite copy --from UseDevelopmentStorage=true --to @azure.txt
  tanzanite copy --from env:PRODUCTION --to env:STAGING --tables 'Or*' --verify
  TANZANITE_COPY_FROM=… TANZANITE_COPY_TO=… tanzanite copy --dry-run

Environment:
  TANZANITE_COPY_FROM      the same as --from
  TANZANITE_COPY_TO        the same as --to`;

interface CopyFlags extends SideFlags {
  readonly tables?: readonly string[];
  readonly verify?: true;
  readonly dryRun?: true;
  readonly restart?: true;
  readonly json?: true;
}

/** `tanzanite copy` */
export function addCopy(command: Command, { environment }: CommandContext): void {
  command
    .summary('copy tables between accounts')
    .description('copy tables from one account to another, of emulators or of Azure')
    .option('--from <side>', 'copy from this account')
    .option('--to <side>', 'copy to this account')
    .addOption(
      new Option('--tables <pattern>', 'only tables of this name; * is any text; repeatable').argParser(addPattern),
    )
    .option('--verify', 'compare both sides after the copy')
    .option('--dry-run', 'print the tables that would be copied')
    .option('--restart', 'begin anew where an earlier run was interrupted')
    .option('--json', 'print one JSON document of results')
    .option('--insecure', 'accept any certificate, such as a self-signed one')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: CopyFlags) => runCopy(flags, environment));
}

function addPattern(text: string, before: readonly string[] | undefined): readonly string[] {
  if (/^[A-Za-z0-9*]+$/.test(text)) return [...(before ?? []), text];
  throw new InvalidArgumentError('Give letters and digits, and * for any text.');
}

async function runCopy(flags: CopyFlags, environment: Environment): Promise<void> {
  const sides = findSides(flags, environment, (line) => remark(`tanzanite: ${escapeControls(line)}`));
  const subject = { from: sides.from.endpoint, to: sides.to.endpoint, patterns: flags.tables ?? [] };
  const tally = newTally();
  const interruption = watchSignals();
  const common = { ...subject, time: systemModelTime, signal: interruption.signal, tally };
  if (flags.dryRun) return printPlan(await atSides(sides, () => planCopy(common)), { flags, sides });
  const notes = openNotes({
    file: notesFile(stateFolder(environment), subject),
    subject,
    restarts: flags.restart === true,
    time: systemModelTime,
    onUnwritable: ({ message }) =>
      remark(`tanzanite: no notes can be kept (${escapeControls(message)}): if interrupted, the copy begins anew.`),
  });
  if (notes.tables.size > 0)
    remark('An earlier run was interrupted; this one goes on from there (--restart begins anew).');
  interruption.onLate(() => endInterrupted(notes, tally));
  const startMs = systemModelTime.monotonicMs();
  const progress = showProgress(tally, systemModelTime);
  try {
    const work = copyAccount({ ...common, notes, verifies: flags.verify === true });
    const outcomes = await atSides(sides, () => work);
    progress.end();
    notes.drop();
    await printOutcomes(outcomes, { flags, sides, tally, elapsedMs: systemModelTime.monotonicMs() - startMs });
  } catch (error) {
    progress.end();
    if (interruption.signal.aborted) endInterrupted(notes, tally);
    notes.save();
    throw error;
  }
}

/** Where programs keep what should outlast a run. */
function stateFolder(environment: Environment): string {
  const windows = environment['LOCALAPPDATA'];
  const base =
    process.platform === 'win32' && windows
      ? windows
      : environment['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return join(base, 'tanzanite', 'copies');
}

interface Interruption {
  readonly signal: AbortSignal;
  /** Runs when the copy has not ended a few seconds after a signal, or at the next one. */
  onLate(run: () => void): void;
}

const graceMs = 3_000;

function watchSignals(): Interruption {
  const controller = new AbortController();
  let end = (): void => process.exit(exitCodeInterrupted);
  const onSignal = (): void => {
    if (controller.signal.aborted) end();
    controller.abort(new Error('interrupted'));
    systemModelTime.after(graceMs, () => end());
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    onLate(run) {
      end = run;
    },
  };
}

function endInterrupted(notes: CopyNotes, { entities }: Tally): never {
  notes.save();
  remark(`tanzanite: interrupted after ${count(entities, 'entity', 'entities')}. The same command goes on from there.`);
  process.exit(exitCodeInterrupted);
}

/** Names the side that failed. Throws NoAnswer and UnusableOption. */
async function atSides<Value>(sides: Sides, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SideError)) throw error;
    const { side, table, entity, cause } = error;
    if (cause instanceof ServiceRefusal && entity !== undefined) {
      const { status, code, message } = cause;
      throw new UnusableOption(`${sides[side].url} refuses ${quote(entity)} with ${status} ${code}: ${message}`);
    }
    return askEndpoint(sides[side], table === undefined ? {} : { table }, () => Promise.reject(cause));
  }
}
