import { readFile, stat } from 'node:fs/promises';
import { chaosName, chaosRules } from '../../faults/chaos-rules.ts';
import { failures } from '../../faults/failures.ts';
import type { FaultRule } from '../../faults/fault-rule.ts';
import { UnusableRule } from '../../faults/fields.ts';
import { parseRulesText } from '../../faults/parse-rule.ts';
import type { EmulatorLog } from '../../model/emulator-log.ts';
import type { ServiceFaults } from './service-faults.ts';

const bytesMax = 1_048_576;

interface StartFaults {
  /** A file of rules, or `chaos`. */
  readonly faults?: string | undefined;
  readonly faultSeed?: number | undefined;
  readonly log?: EmulatorLog | undefined;
}

/** Stages the rules of a file or of `chaos`, and logs the seed. Rejects with an Error that names file and field. */
export async function stageAtStart(
  { faults: path, faultSeed, log }: StartFaults,
  faults: ServiceFaults,
): Promise<void> {
  const { length } = path === undefined ? [] : await addRulesOf(path, faults);
  const { seed } = faults;
  const what = path === undefined ? '' : `, with ${length} ${length === 1 ? 'rule' : 'rules'} of ${path}`;
  if (path !== undefined || faultSeed !== undefined) log?.info({ seed, rules: length }, `fault seed ${seed}${what}`);
}

async function addRulesOf(path: string, faults: ServiceFaults): Promise<readonly FaultRule[]> {
  if (path === chaosName) {
    await faults.addMissing(chaosRules);
    return chaosRules;
  }
  const refuse = (reason: string): Error => new Error(`the rules of ${path} cannot be used: ${reason}`);
  try {
    // A pipe has no length and might never end.
    const file = await stat(path);
    if (!file.isFile()) throw refuse('It is not a file.');
    if (file.size > bytesMax) throw refuse('The file is larger than 1 MiB.');
    const rules = parseRulesText(await readFile(path, 'utf8'));
    await faults.addMissing(rules);
    return rules;
  } catch (error) {
    if (error instanceof UnusableRule) throw refuse(error.message);
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT') throw refuse(`${error.message}.`);
    const isFailure = failures.some(({ name }) => name === path);
    throw refuse(
      isFailure
        ? `There is no such file; tanzanite faults add ${path} stages the failure of that name.`
        : 'There is no such file.',
    );
  }
}
