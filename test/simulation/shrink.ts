// Shortens a plan while it still fails.

import type { Life, Plan, PlannedStep } from './plan.ts';

/** Returns the shortest plan that still fails, among at most this many that it tries. */
export async function shrink(
  plan: Plan,
  { fails, triesMax }: { readonly fails: (shorter: Plan) => Promise<boolean>; readonly triesMax: number },
): Promise<Plan> {
  let [shortest, tries] = [plan, 0];
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const candidate of shorterOnes(shortest)) {
      if (++tries > triesMax) return shortest;
      if (!(await fails(candidate))) continue;
      shortest = candidate;
      isShorter = true;
      break;
    }
  }
  return shortest;
}

/** Plans with parts left out. Those without the largest parts come first. */
function* shorterOnes(plan: Plan): Generator<Plan> {
  const { lives } = plan;
  for (const at of lives.keys()) if (lives.length > 1) yield { ...plan, lives: lives.toSpliced(at, 1) };
  const longest = Math.max(...lives.map(({ steps }) => steps.length));
  for (let length = longest; length >= 1; length = length >> 1) {
    for (const [at, life] of lives.entries()) {
      for (let from = 0; from < life.steps.length; from += length) {
        yield withLife(plan, at, { ...life, steps: life.steps.toSpliced(from, length) });
      }
    }
  }
  for (const [at, life] of lives.entries()) {
    if (life.disk.length > 0) yield withLife(plan, at, { ...life, disk: [] });
    for (const [place, step] of life.steps.entries()) {
      for (const shorter of shorterSteps(step)) {
        yield withLife(plan, at, { ...life, steps: life.steps.with(place, shorter) });
      }
    }
  }
}

const withLife = (plan: Plan, at: number, life: Life): Plan => ({ ...plan, lives: plan.lives.with(at, life) });

function* shorterSteps(step: PlannedStep): Generator<PlannedStep> {
  if (step.kind !== 'group') return;
  if (step.disk.length > 0) yield { ...step, disk: [] };
  const { operations } = step;
  for (const [at, operation] of operations.entries()) {
    if (operations.length > 1) yield { ...step, operations: operations.toSpliced(at, 1) };
    if (operation.kind !== 'batch') continue;
    const { writes } = operation;
    for (const place of writes.keys()) {
      if (writes.length < 2) break;
      const shorter = { ...operation, writes: writes.toSpliced(place, 1) };
      yield { ...step, operations: operations.with(at, shorter) };
    }
  }
}
