// Tests every language that the emulator reads. The input texts are valid, damaged, or made of tokens of the language.
// To run all cases, or to repeat a failed seed: npm run fuzz -- --cases N --seed S

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { testSeed } from '../support/test-seed.ts';
import { expectNoFault } from './emulator.ts';
import type { Outcome, Target } from './target.ts';
import { targets } from './targets.ts';
import { watchCases } from './watch.ts';

const cases = Number(process.env['TANZANITE_FUZZ_CASES'] ?? 20_000);
const keepsFound = process.env['TANZANITE_FUZZ_KEEPS'] !== undefined;
const timeout = 120_000 + cases * 20;

/** If a response takes longer, it counts as missing. */
const answerMsMax = 30_000;

const watch = watchCases();
afterAll(() => watch.end());

const corpusFile = (name: string): URL => new URL(`corpus/${name}.json`, import.meta.url);

/** Inputs that have failed earlier. */
function corpusOf(name: string): unknown[] {
  const file = corpusFile(name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown[]) : [];
}

function keep(name: string, input: unknown): void {
  writeFileSync(corpusFile(name), `${JSON.stringify([...corpusOf(name), input], null, 2)}\n`);
}

async function run({ name, inputs, check }: Target, numRuns: number): Promise<Record<Outcome, number>> {
  const counts = { accepted: 0, refused: 0 };
  const property = fc.asyncProperty(inputs, async (input) => {
    watch.begin();
    counts[await check(input)]++;
    expectNoFault();
  });
  const details = await fc.check(property, { numRuns, seed: testSeed, timeout: answerMsMax });
  if (!details.failed) return counts;
  const [input] = details.counterexample ?? [];
  if (keepsFound && input !== undefined) keep(name, input);
  const { stack = '' } = details.errorInstance instanceof Error ? details.errorInstance : {};
  return expect.fail(`npm run fuzz -- --target '${name}' --cases ${cases} --seed ${testSeed} repeats it
the shortest input, for test/fuzz/corpus/${name}.json: ${JSON.stringify(input)}
${stack.split('\n').slice(0, 8).join('\n')}`);
}

it('The shares of the targets add up to 100 %', () => {
  expect(targets.reduce((sum, { share }) => sum + share, 0)).toBe(100);
  if (wanted !== undefined) expect(targets.map(({ name }) => name)).toContain(wanted);
  expect(new Set(targets.map(({ name }) => name)).size).toBe(targets.length);
});

const wanted = process.env['TANZANITE_FUZZ_TARGET'];

describe.each(targets.filter(({ name }) => name === (wanted ?? name)).map((one) => [one.name, one] as const))(
  '%s',
  { timeout },
  (_, target) => {
    it('still handles the inputs that failed earlier', async () => {
      for (const input of corpusOf(target.name)) {
        watch.begin();
        await target.check(input);
        expectNoFault();
      }
    });

    it.runIf(target.decode)('keeps the promises that need no emulator', async () => {
      const property = fc.property(target.inputs, (input) => {
        watch.begin();
        target.decode?.(input);
      });
      fc.assert(property, { numRuns: Math.ceil(cases / 2), seed: testSeed });
      // Idle connections have expired by now. Some turns of the event loop let both sides close these connections.
      // Otherwise, the next test could send a request over a connection that is being closed.
      for (let turns = 0; turns < 5; turns++) await nextTurn();
    });

    it('keeps every promise for any input', async () => {
      const numRuns = Math.max(1, Math.round((cases * target.share) / 100));
      const { accepted, refused } = await run(target, numRuns);
      if (process.env['TANZANITE_FUZZ_CASES'] !== undefined)
        console.log(`${target.name}: ${accepted} accepted, ${refused} refused`);
      if (numRuns >= 200) expect([accepted > numRuns / 20, refused > numRuns / 20]).toEqual([true, true]);
    });
  },
);
