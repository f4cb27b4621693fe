// Runs the plans of seeds, several at a time.

import { join } from 'node:path';
import { drawPlan, type Plan } from './plan.ts';
import { shrink } from './shrink.ts';
import { type Outcome, type SimulationOptions, simulate } from './simulation.ts';

export interface SeedsOptions extends SimulationOptions {
  readonly seeds: readonly number[];
  /** How many seeds run at the same time. */
  readonly together?: number;
  readonly report?: (seed: number, outcome: Outcome) => void;
  /** Whether to stop at the first seed that fails. */
  readonly endsAtFirst?: boolean;
}

export interface SeedOutcome extends Outcome {
  readonly seed: number;
}

/** The outcomes in the order of the seeds. */
export async function runSeeds(options: SeedsOptions): Promise<readonly SeedOutcome[]> {
  const { seeds, together = 1, report, endsAtFirst = false } = options;
  const outcomes = new Map<number, SeedOutcome>();
  const left = [...seeds];
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const outcome = await runPlan(drawPlan(seed), options);
      outcomes.set(seed, { seed, ...outcome });
      report?.(seed, outcome);
      if (endsAtFirst && outcome.violation !== undefined) left.length = 0;
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return seeds.flatMap((seed) => outcomes.get(seed) ?? []);
}

let runs = 0;

function runPlan(plan: Plan, { process, library, folder }: SimulationOptions): Promise<Outcome> {
  return simulate(plan, { process, library, folder: join(folder, `${++runs}`) });
}

/** The shortest history with which a seed fails, and how it fails. */
export async function explainSeed(seed: number, options: SimulationOptions, triesMax = 200): Promise<string> {
  const fails = async (plan: Plan): Promise<boolean> => (await runPlan(plan, options)).violation !== undefined;
  const { history, violation } = await runPlan(await shrink(drawPlan(seed), { fails, triesMax }), options);
  return `seed ${seed}, the shortest history:\n${history.map((line) => `  ${line}`).join('\n')}\n${violation}`;
}
