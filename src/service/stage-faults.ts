// Applies the fault rules of an emulator. While the emulator has at least one rule, one FaultSeams object serves all
// requests. A request with a rule in its header gets a separate FaultSeams object.

import { randomInt } from 'node:crypto';
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
import { StaleViews, type StaleViewsOptions } from './stale-views.ts';

const seedMax = 999_999_999;

export interface StagedFaults {
  readonly rules: RuleList;
  readonly seams: SeamList;
  /** The seams of a request with a rule in its header. Throws InvalidInput if the header is not a rule. */
  readonly seamsOf: (request: HttpRequest) => readonly Seams[];
  /** Requests that faults hold now. */
  readonly held: () => number;
}

interface StageOptions {
  /** Seed of the random numbers; without one, a random seed. */
  readonly seed: number | undefined;
  readonly time: MachineTime;
  /** Absent if reads of the secondary cannot be given older data. */
  readonly stale?: StaleViewsOptions | undefined;
}

export function stageFaults({ seed = randomInt(seedMax + 1), time, stale }: StageOptions): StagedFaults {
  const views = stale && new StaleViews(stale);
  const seams: SeamList = { current: noSeams };
  const holds = new Holds(time);
  const rules = new RuleList({
    seed,
    canBeStale: views !== undefined,
    onChange() {
      const ids = rules.list().map(({ id }) => id);
      seams.current = ids.length > 0 ? [inForce] : noSeams;
      holds.keep(new Set([...ids, headerId]));
      if (!wantsViews()) views?.end();
    },
    whenReady: async () => void (wantsViews() && (await views?.begin())),
  });
  const wantsViews = (): boolean => rules.list().some(({ fault }) => fault.kind === 'stale');
  const inForce = new FaultSeams({ rules, holds, views });
  return {
    rules,
    seams,
    seamsOf({ headers }) {
      const own = ownRule(headerOf(headers, faultHeader) ?? '', rules.seed);
      const choose: FaultRules['choose'] = (subject) => firstOf(own.choose(subject), rules.choose(subject));
      return [new FaultSeams({ rules: { choose }, holds })];
    },
    held: () => holds.size,
  };
}

/** The id of a rule in a header; the list has no rule with this id. */
const headerId = 'header';

/** If both rules match, only the rule in the header is applied. */
function firstOf(own: Strike | undefined, other: Strike | undefined): Strike | undefined {
  if (!own) return other;
  other?.undo();
  return { ...own, id: headerId };
}

/** A list of the one rule in a header. Throws InvalidInput. */
function ownRule(text: string, seed: number): RuleList {
  const own = new RuleList({ seed, canBeStale: false });
  try {
    const [rule, another] = parseRulesText(text);
    if (!rule || another) throw unusable('It takes one rule.');
    own.add([{ name: headerId, ...rule }]);
    return own;
  } catch (error) {
    throw error instanceof UnusableRule ? unusable(error.message) : error;
  }
}

function unusable(reason: string): ServiceError {
  return new ServiceError('InvalidInput', {
    stage: 'parse',
    message: `The header ${faultHeader} is not a rule. ${reason}`,
  });
}
