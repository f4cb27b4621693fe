// The results of `tanzanite chaos`: a table, what follows from it, JSON and JUnit.

import type { Recipe } from '../faults/recipes.ts';

export interface ChaosRun {
  /** Absent for the run without a failure. */
  readonly recipe?: Recipe;
  readonly exitCode: number;
  /** How long the command ran. */
  readonly ms: number;
  /** Requests that the failure struck. */
  readonly struck: number;
  readonly isTimedOut: boolean;
}

/** The name of the run without a failure, in the table and in file names. */
export const noFailure = 'no-failure';

const runName = ({ recipe }: Pick<ChaosRun, 'recipe'>): string => recipe?.name ?? noFailure;

type Result = 'survived' | 'failed' | 'timed out' | 'not met' | 'passed';

function resultOf({ recipe, exitCode, struck, isTimedOut }: ChaosRun): Result {
  if (recipe && struck === 0) return 'not met';
  if (isTimedOut) return 'timed out';
  if (exitCode !== 0) return 'failed';
  return recipe ? 'survived' : 'passed';
}

const nameColumns = 22;

const rowOf = (name: string, exitCode: string, took: string, struck: string, result: string): string =>
  `${name.padEnd(nameColumns)}${exitCode.padStart(9)}${took.padStart(11)}${struck.padStart(9)}   ${result}\n`;

export const tableHead = rowOf('failure', 'exit code', 'time', 'struck', 'result');

export function renderChaosRow(run: ChaosRun): string {
  const { recipe, exitCode, ms, struck } = run;
  const took = `${(ms / 1_000).toFixed(1)} s`;
  return rowOf(runName(run), String(exitCode), took, recipe ? String(struck) : '', resultOf(run));
}

/** The conclusions about the program, one per line. */
export function renderLessons(runs: readonly ChaosRun[]): string {
  const lessons = runs.flatMap((run) => {
    const { recipe } = run;
    const result = resultOf(run);
    if (!recipe || result === 'survived') return [];
    const lesson =
      result === 'not met'
        ? `this failure needs ${recipe.needs}, but the command sends no such request`
        : recipe.question;
    return [`${recipe.name.padEnd(nameColumns)}${result}: ${lesson}\n`];
  });
  return lessons.length === 0 ? '' : `\n${lessons.join('')}`;
}

export function renderChaosJson(runs: readonly ChaosRun[]): string {
  const failures = runs.flatMap(({ recipe, exitCode, ms, struck }) =>
    recipe ? [{ name: recipe.name, exitCode, ms, struck }] : [],
  );
  return `${JSON.stringify({ failures }, undefined, 2)}\n`;
}

/** A test case for each run. A failure that was not met is skipped, unless the command failed anyway. */
export function renderChaosJunit(runs: readonly ChaosRun[]): string {
  const isFailure = ({ exitCode }: ChaosRun): boolean => exitCode !== 0;
  const isSkipped = (run: ChaosRun): boolean => !isFailure(run) && resultOf(run) === 'not met';
  const seconds = (ms: number): string => (ms / 1_000).toFixed(3);
  const total = seconds(runs.reduce((sum, { ms }) => sum + ms, 0));
  const counts = `tests="${runs.length}" failures="${runs.filter(isFailure).length}" errors="0" skipped="${runs.filter(isSkipped).length}" time="${total}"`;
  const outcomeOf = (run: ChaosRun): string => {
    if (isFailure(run)) return `<failure message="exit code ${run.exitCode}">${textOf(run)}</failure>`;
    return isSkipped(run) ? `<skipped message="${textOf(run)}"></skipped>` : '';
  };
  const cases = runs.map(
    (run) =>
      `    <testcase name="${runName(run)}" classname="tanzanite.chaos" time="${seconds(run.ms)}">${outcomeOf(run)}</testcase>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="tanzanite.chaos" ${counts}>
${cases.join('')}  </testsuite>
</testsuites>
`;
}

/** The text contains only words of this project, which need no escaping in XML. */
function textOf(run: ChaosRun): string {
  const { recipe, struck } = run;
  const result = resultOf(run);
  if (!recipe) return result;
  return result === 'not met' ? `not met, it needs ${recipe.needs}` : `${result}, ${struck} struck: ${recipe.question}`;
}
