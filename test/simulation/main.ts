// Runs more seeds than a test can, and shortens the history of those that fail.

import { parseArgs } from 'node:util';
import { canFailDisks, compileDiskFaults } from '../support/disk-faults/disk-faults.ts';
import { bundleProcess } from './bundle.ts';
import { plantedFaults } from './planted/planted-faults.ts';
import { explainSeed, runSeeds } from './seeds.ts';

const usage = `usage: npm run simulate -- [--seeds N] [--seed S] [--memory] [--together N] [--planted NAME]
  --seeds N       how many seeds to run; default 50
  --seed S        the first seed; default 1. With --seeds 1 it repeats that one
  --memory        without a disk, as on machines without a C compiler
  --together N    how many at the same time; default 1
  --planted NAME  with a fault that is to be found, some of them (a,b), or all:
                  ${plantedFaults.map(({ name }) => name).join(', ')}`;

interface Place {
  readonly root: string;
  readonly folder: string;
}

interface Asked {
  readonly seeds: readonly number[];
  readonly together: number;
  readonly isInMemory: boolean;
  readonly planted: string | undefined;
}

/** Resolves with the exit code. It is 1 if a seed fails, or if a planted fault is not found. */
export async function runSimulations({ root, folder, args }: Place & { readonly args: string[] }): Promise<number> {
  const asked = readArgs(args);
  if (!asked) {
    console.error(usage);
    return 2;
  }
  const hasDisk = !asked.isInMemory && canFailDisks();
  if (!asked.isInMemory && !hasDisk) console.log('in memory: a disk is simulated on Linux with a C compiler only');
  const library = hasDisk ? compileDiskFaults(folder) : undefined;
  if (asked.planted !== undefined) return findPlanted(asked, { root, folder, library });
  const process = await bundleProcess(root, folder);
  const startedMs = performance.now();
  const outcomes = await runSeeds({
    ...asked,
    process,
    library,
    folder,
    report: (seed, { violation, hash, counts }) =>
      console.log(
        `${seed} ${hash.slice(0, 12)} ${Object.entries(counts).map((pair) => pair.reverse().join(' '))}${violation === undefined ? '' : ` FAILED: ${violation}`}`,
      ),
  });
  const failed = outcomes.filter(({ violation }) => violation !== undefined);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${outcomes.length} seeds in ${seconds} s, ${failed.length} failed`);
  for (const { seed } of failed.slice(0, 3)) console.log(await explainSeed(seed, { process, library, folder }));
  return failed.length > 0 ? 1 : 0;
}

function readArgs(args: string[]): Asked | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seeds: { type: 'string', default: '50' },
        seed: { type: 'string', default: '1' },
        together: { type: 'string', default: '1' },
        memory: { type: 'boolean', default: false },
        planted: { type: 'string' },
      },
    });
    const [count, first, together] = [values.seeds, values.seed, values.together].map(Number) as [
      number,
      number,
      number,
    ];
    const areNumbers = [count, first, together].every((number) => Number.isSafeInteger(number) && number >= 0);
    const { planted } = values;
    const names = planted?.split(',') ?? [];
    const isKnown = names.every((name) => name === 'all' || plantedFaults.some((one) => one.name === name));
    if (!areNumbers || count < 1 || together < 1 || !isKnown) return undefined;
    return {
      seeds: Array.from({ length: count }, (_, at) => first + at),
      together,
      isInMemory: values.memory,
      planted,
    };
  } catch {
    return undefined;
  }
}

async function findPlanted(
  { seeds, together, planted }: Asked,
  place: Place & { readonly library: string | undefined },
): Promise<number> {
  const { root, folder, library } = place;
  let missed = 0;
  for (const { name, patches } of plantedFaults) {
    if (planted !== 'all' && !planted?.split(',').includes(name)) continue;
    const process = await bundleProcess(root, folder, patches);
    const outcomes = await runSeeds({ seeds, together, process, library, folder, endsAtFirst: true });
    const found = outcomes.find(({ violation }) => violation !== undefined);
    console.log(found ? `${name}: found by seed ${found.seed}` : `${name}: not found by ${outcomes.length} seeds`);
    if (found && planted === name) console.log(await explainSeed(found.seed, { process, library, folder }));
    if (!found) missed += 1;
  }
  return missed > 0 ? 1 : 0;
}
