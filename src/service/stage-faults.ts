// Puts the rules of an emulator into force: a seam of all requests while there is a rule, and one of a single request that brings
// its own.

import { randomInt } from 'node:crypto';
import type { FaultRule } from '../faults/fault-rule.ts';
import { UnusableRule } from '../faults/fields.ts';
import { parseRulesText } from '../faults/parse-rule.ts';
import { type FaultRules, RuleList, type Strike } from '../faults/rule-list.ts';
import { faultHeader } from '../model/request-source.ts';
import { ServiceError } from '../model/service-error.ts';
import type { MachineTime } from '../model/time.ts';
import { FaultSeams } from './fault-seams.ts';
import { Holds } from './holds.ts';
import { type HttpRequest, headerOf } from './http-message.ts';
import { noSeams, type SeamList, type Seams } from './seams.ts';

const seedMax = 999_999_999;

export interface StagedFaults {
  readonly rules: RuleList;
  readonly seams: SeamList;
  /** The seams of a request that brings a rule in its header. Throws InvalidInput for what is no rule. */
  readonly seamsOf: (request: HttpRequest) => readonly Seams[];
  /** Requests that faults hold now. */
  readonly held: () => number;
}

interface StageOptions {
  /** What chance is drawn with; without one, it is drawn itself. */
  readonly seed: number | undefined;
  readonly time: MachineTime;
}

export function stageFaults({ seed = randomInt(seedMax + 1), time }: StageOptions): StagedFaults {
  const seams: SeamList = { current: noSeams };
  const holds = new Holds(time);
  const rules = new RuleList({
    seed,
    canBeStale: false,
    onChange() {
      const ids = rules.list().map(({ id }) => id);
      seams.current = ids.length > 0 ? [inForce] : noSeams;
      holds.keep(new Set([...ids, headerId]));
    },
  });
  const inForce = new FaultSeams({ rules, holds });
  return {
    rules,
    seams,
    seamsOf({ headers }) {
      const own = new RuleList({ seed });
      own.add([ruleIn(headerOf(headers, faultHeader) ?? '')]);
      const choose: FaultRules['choose'] = (subject) => firstOf(own.choose(subject), rules.choose(subject));
      return [new FaultSeams({ rules: { choose }, holds })];
    },
    held: () => holds.size,
  };
}

/** Of the rule in a header, which the list does not have. */
const headerId = 'header';

/** The rule of the header strikes alone. */
function firstOf(own: Strike | undefined, other: Strike | undefined): Strike | undefined {
  if (!own) return other;
  other?.undo();
  return { ...own, id: headerId };
}

function ruleIn(text: string): FaultRule {
  try {
    const [rule, another] = parseRulesText(text);
    if (rule && !another) return { name: headerId, ...rule };
  } catch (error) {
    if (!(error instanceof UnusableRule)) throw error;
    throw unusable(error.message);
  }
  throw unusable('It takes one rule.');
}

function unusable(reason: string): ServiceError {
  return new ServiceError('InvalidInput', {
    stage: 'parse',
    message: `The header ${faultHeader} is no rule. ${reason}`,
  });
}
