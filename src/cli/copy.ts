import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { copyAccount, newTally, planCopy } from '../data/copy/copy-account.ts';
import type { CopyTally } from '../data/copy/copy-table.ts';
import { openResumeFile, type ResumeFile, resumeFilePath, resumeInMemory } from '../data/copy/resume-file.ts';
import { SideError } from '../data/copy/side.ts';
import { type MachineTime, systemModelTime } from '../model/time.ts';
import type { CommandContext, Environment } from './command-context.ts';
import { describeTally, printOutcomes, printPlan, quantityText, warnOfRefusals } from './copy-output.ts';
import { findSides, type SideFlags, type Sides } from './copy-sides.ts';
import { askEndpoint } from './data-endpoint.ts';
import { NoAnswer, UnusableOption } from './exit-codes.ts';
import { Interrupted, interruptible, openProgress, type Progress } from './progress.ts';
import { remark } from './standard-output.ts';
import { stateFolder } from './user-folders.ts';

const help = `
Each side is an account of an emulator, of Azurite or of Azure, named by its
connection string. Give @FILE (the first line of a file), env:NAME (a variable)
or the string itself. Other users of the machine can read the string itself
while the copy runs.

Entities are inserted or replaced; other entities and tables at the target
stay. After an interruption, the same command continues where the copy ended.

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
    .description('copy tables from one account to another, in emulators or in Azure')
    .option('--from <side>', 'copy from this account')
    .option('--to <side>', 'copy to this account')
    .addOption(
      new Option('--tables <pattern>', 'copy only tables of this name; * matches any text; repeatable').argParser(
        addPattern,
      ),
    )
    .option('--verify', 'compare both sides after the copy')
    .option('--dry-run', 'print the tables that would be copied')
    .option('--restart', 'start over instead of continuing an interrupted run')
    .option('--json', 'print one JSON document of results, and no progress')
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
  const sides = findSides(flags, environment, warn);
  const subject = { from: sides.from.endpoint, to: sides.to.endpoint, patterns: flags.tables ?? [] };
  await interruptible(async (signal) => {
    const common = { ...subject, time: systemModelTime, signal, tally: newTally() };
    if (flags.dryRun) {
      const plan = await endingSoon(signal, atSides(sides, planCopy(common)));
      return printPlan(plan, { flags, sides });
    }
    const state = stateFolder(environment);
    const file = state && resumeFilePath(join(state, 'tanzanite', 'copies'), subject);
    return copyResumably({ common, sides, flags, file });
  });
}

interface Copy {
  readonly common: Parameters<typeof planCopy>[0];
  readonly sides: Sides;
  readonly flags: CopyFlags;
  /** The resume file; undefined if there is no folder for it. */
  readonly file: string | undefined;
}

async function copyResumably({ common, sides, flags, file }: Copy): Promise<void> {
  const { signal, tally } = common;
  const time = systemModelTime;
  const startMs = time.monotonicMs();
  const label = 'copying';
  const describe = (): string => describeTally(tally, time.monotonicMs() - startMs);
  const progress = openProgress({ label, describe, isQuiet: flags.json === true });
  const say = (line: string): void => {
    progress.done();
    warn(line);
  };
  const onUnwritable = ({ message }: Error): void =>
    say(`no resume file can be written; if interrupted, the copy starts over: ${message}.`);
  if (file === undefined) onUnwritable(new Error('the user has no home folder, and XDG_STATE_HOME names none'));
  const resume =
    file === undefined
      ? resumeInMemory()
      : openResumeFile({
          ...{ file, subject: common, restarts: flags.restart === true, time },
          onUnusable: (reason) =>
            say(`the resume file of an earlier run cannot be used, so the copy starts over: ${reason}.`),
          onUnwritable,
        });
  if (resume.tables.size > 0)
    say('an earlier run was interrupted; this one goes on from there (--restart starts over).');
  const onStartedOver = (table: string, reason: string): void =>
    say(`table ${table} is copied again from its start: ${reason}.`);
  const stopDrawing = drawRepeatedly(progress, { time, tally });
  const work = copyAccount({ ...common, resume, verifies: flags.verify === true, onStartedOver });
  const outcomes = await endingSoon(signal, atSides(sides, work))
    .finally(stopDrawing)
    .catch((error: unknown) => {
      throw withOutlook(error, { isSaved: resume.save(), resume, tally });
    });
  dropResumeFile(resume);
  await printOutcomes(outcomes, { flags, sides, tally, elapsedMs: time.monotonicMs() - startMs });
}

const warn = (line: string): void => remark(`tanzanite: ${line}`);

/** Redraws on a timer: the copy changes the figures, and time also passes while the copy waits for a busy side. */
function drawRepeatedly(
  progress: Progress,
  { time, tally }: { readonly time: MachineTime; readonly tally: CopyTally },
): () => void {
  let cancel = (): void => undefined;
  const draw = (): void => {
    progress.update(tally.entities);
    cancel = time.after(drawEveryMs, draw);
  };
  draw();
  return () => {
    cancel();
    progress.done();
  };
}

const drawEveryMs = 200;

/** If the file cannot be removed, the only effect is that the next run finds nothing to do. */
function dropResumeFile(resume: ResumeFile): void {
  try {
    resume.drop();
  } catch (error) {
    warn(`the resume file of this copy cannot be removed: ${error instanceof Error ? error.message : error}.`);
  }
}

interface Remains {
  /** Whether the resume file is on disk. */
  readonly isSaved: boolean;
  readonly resume: ResumeFile;
  readonly tally: CopyTally;
}

/** Adds to the error that ended this run what the next run will do. */
function withOutlook(error: unknown, { isSaved, resume, tally }: Remains): unknown {
  if (!(error instanceof Interrupted || error instanceof NoAnswer || error instanceof UnusableOption)) return error;
  warnOfRefusals(tally);
  const copied = [...resume.tables.values()].reduce((sum, { entities }) => sum + entities, 0);
  const goesOn = isSaved && copied > 0;
  const outlook = goesOn ? 'the same command goes on from there' : 'the same command starts over';
  if (error instanceof Interrupted) {
    const point = goesOn ? ` after ${quantityText(copied, 'entity', 'entities')}` : '';
    return new Interrupted(error.exitCode, `interrupted${point}: ${outlook}.`);
  }
  if (goesOn) warn(`the copy ended after ${quantityText(copied, 'entity', 'entities')}; ${outlook}.`);
  return error;
}

/** Ctrl-C lets writes in progress end. A side that does not answer delays the end only for a moment. */
async function endingSoon<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  let cancel = (): void => undefined;
  let onAbort = (): void => undefined;
  const isLate = new Promise<never>((_, reject) => {
    onAbort = () => {
      cancel = systemModelTime.after(graceMs, () => reject(signal.reason));
    };
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, isLate]);
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Less than `interruptible` allows in total, to leave time for the line about the next run. */
const graceMs = 2_000;

/** Makes an error name the side that failed. Throws NoAnswer, UnusableOption and Interrupted. */
async function atSides<Value>(sides: Sides, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SideError)) throw error;
    const { side, table, cause } = error;
    return askEndpoint(sides[side], table === undefined ? {} : { table }, () => Promise.reject(cause));
  }
}
