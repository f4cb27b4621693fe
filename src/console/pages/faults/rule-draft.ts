// A rule while the user types it: texts that the emulator's parser turns into a rule.

import type { FaultKind, FaultMatch, FaultRule, FaultWhen } from '../../../faults/fault-rule.ts';
import { UnusableRule } from '../../../faults/fields.ts';
import { matchMembers, parseRule } from '../../../faults/parse-rule.ts';

export type WhenKind = 'each' | 'nth' | 'first' | 'every' | 'probability';

export interface RuleDraft {
  readonly name: string;
  readonly match: Readonly<Record<keyof FaultMatch, string>>;
  readonly when: WhenKind;
  readonly count: string;
  readonly times: string;
  readonly kind: FaultKind;
  /** The members of the fault, by name. A member that is not given is empty. */
  readonly fault: Readonly<Record<string, string>>;
}

const noMatch = Object.fromEntries(matchMembers.map((name) => [name, ''])) as RuleDraft['match'];

export const newDraft: RuleDraft = {
  name: '',
  match: noMatch,
  when: 'first',
  count: '1',
  times: '',
  kind: 'error',
  fault: { code: 'ServerBusy' },
};

export function ruleDraftOf({ name = '', match, when, times, fault: { kind, ...fault } }: FaultRule): RuleDraft {
  const [[whenKind, count] = ['each', '']] = Object.entries(when ?? {});
  return {
    name,
    match: { ...noMatch, ...match },
    when: whenKind as WhenKind,
    count: String(count),
    times: times === undefined ? '' : String(times),
    kind,
    fault: Object.fromEntries(Object.entries(fault).map(([member, value]) => [member, String(value)])),
  };
}

export type DraftResult = { readonly rule: FaultRule } | { readonly field: string; readonly fault: string };

/** What the draft says, or what is wrong with it and where. */
export function faultRuleOf(draft: RuleDraft): DraftResult {
  const { name, match, when, count, times, kind, fault } = draft;
  const value = {
    ...(name !== '' && { name }),
    ...partOf(
      'match',
      given(match, (text) => text),
    ),
    ...(when !== 'each' && { when: { [when]: numberOf(count) } as unknown as FaultWhen }),
    ...(times !== '' && { times: numberOf(times) }),
    fault: { kind, ...given(fault, (text, member) => (texts.has(member) ? text : numberOf(text))) },
  };
  try {
    return { rule: parseRule(value) };
  } catch (error) {
    if (!(error instanceof UnusableRule)) throw error;
    return { field: error.field, fault: error.message.replace(/^"[^"]*": /, '') };
  }
}

/** The members of a fault that are not numbers. */
const texts: ReadonlySet<string> = new Set(['code', 'at']);

const given = (
  members: Readonly<Record<string, string>>,
  read: (text: string, member: string) => string | number,
): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, text]) => text !== '')
      .map(([member, text]) => [member, read(text, member)]),
  );

const partOf = (name: string, members: object): object =>
  Object.keys(members).length === 0 ? {} : { [name]: members };

/** Keeps a text that is not a number: the parser refuses it with its own message. */
function numberOf(text: string): number | string {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}
