import { closeSync, openSync, writeFileSync } from 'node:fs';
import { constants, devNull } from 'node:os';
import { join } from 'node:path';
import type { Recipe } from '../faults/recipes.ts';
import { systemMachineTime as time } from '../model/time.ts';
import { createFolder } from '../storage/create-folder.ts';
import {
  type ChaosRun,
  noFailure,
  renderChaosJson,
  renderChaosJunit,
  renderChaosRow,
  renderLessons,
  tableHead,
} from './chaos-report.ts';
import type { CommandContext } from './command-context.ts';
import { startProcess } from './command-process.ts';
import { type EmulatorPlan, environmentOf, planEmulator, startPlanned } from './emulator-for-command.ts';
import type { ChaosFlags } from './exec-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { passSignals } from './pass-signals.ts';
import { stageRecipe } from './stage-recipe.ts';
import { openStandardOutput } from './standard-output.ts';

/** The exit code of GNU `timeout`. */
const exitCodeTimedOut = 124;

/** `undefined` is the run without a failure. */
type Runs = readonly (Recipe | undefined)[];

interface Task {
  readonly words: readonly string[];
  readonly flags: ChaosFlags;
  readonly plan: EmulatorPlan;
  readonly context: CommandContext;
}

/** Runs a command once for each recipe, and ends this process with the verdict. Throws UnusableOption. */
export async function chaosCommand(
  words: readonly string[],
  { flags, recipes }: { readonly flags: ChaosFlags; readonly recipes: readonly Recipe[] },
  context: CommandContext,
): Promise<never> {
  const task: Task = { words, flags, plan: planEmulator(flags, context), context };
  const planned: Runs = [undefined, ...recipes];
  prepareFiles(flags, planned);
  const output = openStandardOutput();
  const print = async (text: string): Promise<void> => (flags.json ? undefined : output.write(text));
  const runs: ChaosRun[] = [];
  for (const recipe of planned) {
    const run = await runOnce(recipe, task);
    await print(`${runs.length === 0 ? tableHead : ''}${renderChaosRow(run)}`);
    runs.push(run);
    if (recipe === undefined && run.exitCode !== 0) {
      context.notice(
        `the command also fails without a fault (exit code ${run.exitCode}), so the runs with faults show little.${flags.out === undefined ? ' --out keeps what the command prints.' : ''}`,
      );
    }
  }
  if (runs[0]?.exitCode === 0) await print(renderLessons(runs));
  if (flags.json) await output.write(renderChaosJson(runs));
  if (flags.junit !== undefined) writeFileSync(flags.junit, renderChaosJunit(runs));
  process.exit(runs.every(({ exitCode }) => exitCode === 0) ? 0 : 1);
}

/** Refuses files that cannot be written before the first run. Throws UnusableOption. */
function prepareFiles(flags: ChaosFlags, runs: Runs): void {
  const { out, junit } = flags;
  try {
    if (out !== undefined) createFolder(out);
    const files = runs.map((recipe) => outputFile(recipe, flags));
    for (const file of junit === undefined ? files : [...files, junit]) closeSync(openSync(file, 'w'));
  } catch (error) {
    const { path = '', message } = error as NodeJS.ErrnoException;
    throw new UnusableOption(`${path} cannot be written: ${message}.`);
  }
}

async function runOnce(recipe: Recipe | undefined, { words, flags, plan, context }: Task): Promise<ChaosRun> {
  const { notice, environment } = context;
  // Counted from request records, because the command may remove the rule and its counter, as test helpers do.
  let struck = 0;
  const emulator = await startPlanned(plan, {
    notice,
    onRequest: ({ fault }) => {
      if (recipe !== undefined && fault?.rule === recipe.name) struck += 1;
    },
  });
  // Removes faults that variables, the settings file or a profile set.
  await emulator.faults.clear();
  const stage = recipe && (await stageRecipe(recipe, emulator.faults));
  const output = openSync(outputFile(recipe, flags), 'w');
  const startedMs = time.monotonicMs();
  const command = startProcess(words, {
    environment: environmentOf(emulator, { account: plan.account, names: flags.env, environment }),
    stdio: ['ignore', output, output],
  });
  const signals = passSignals(command);
  let isTimedOut = false;
  const cancelTimeout = time.after(flags.timeout, () => {
    isTimedOut = true;
    command.pass('SIGTERM');
  });
  const { exitCode, failure } = await command.ended;
  const ms = Math.round(time.monotonicMs() - startedMs);
  cancelTimeout();
  signals.release();
  closeSync(output);
  await stage?.end();
  await emulator.close();
  if (failure !== undefined && recipe === undefined) notice(failure);
  if (signals.received !== undefined) process.exit(128 + constants.signals[signals.received]);
  return { ...(recipe && { recipe }), exitCode: isTimedOut ? exitCodeTimedOut : exitCode, ms, struck, isTimedOut };
}

const outputFile = (recipe: Recipe | undefined, { out }: ChaosFlags): string =>
  out === undefined ? devNull : join(out, `${recipe?.name ?? noFailure}.log`);
