import { compileGlob } from '../model/glob.ts';
import { type FaultMatch, type FaultRule, type FaultWhen, nameCharsMax, placeOf, rulesMax } from './fault-rule.ts';
import { Fields, UnusableRule } from './fields.ts';
import { canStrike } from './match-rule.ts';
import { batchOperationName, operationTraits } from './operation-traits.ts';
import { optional, parseFault } from './parse-fault.ts';

const members = ['name', 'match', 'when', 'times', 'fault'];
export const matchMembers = [
  'operation',
  'account',
  'table',
  'partitionKey',
  'rowKey',
  'userAgent',
  'credential',
] as const satisfies readonly (keyof FaultMatch)[];
const whenMembers = ['nth', 'first', 'every', 'probability'] as const;

/** The number of characters that a key can have. */
const patternCharsMax = 1_024;
const countMax = 1_000_000_000;

/** One rule, or a list of rules. Throws UnusableRule, which names the first invalid field. */
export function parseRules(value: unknown): readonly FaultRule[] {
  if (!Array.isArray(value)) return [parseRule(value)];
  if (value.length > rulesMax) throw new UnusableRule('', `There are at most ${rulesMax} rules.`);
  return Array.from(value, (one: unknown, at) => parseRule(one, `[${at}]`));
}

/** The rules in a JSON text. Throws UnusableRule. */
export function parseRulesText(text: string): readonly FaultRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new UnusableRule('', 'It is not JSON.');
  }
  return parseRules(value);
}

/** Reads one rule. `path` is its place in a list. Throws UnusableRule. */
export function parseRule(value: unknown, path = ''): FaultRule {
  const fields = new Fields(value, path);
  fields.only(members);
  const name = parseName(fields);
  const match = parseMatch(fields.object('match'));
  const when = parseWhen(fields.object('when'));
  const times = fields.whole('times', { min: 1, max: countMax });
  const fault = parseFault(fields.required('fault', fields.object('fault')));
  const rule: FaultRule = {
    ...optional('name', name),
    ...optional('match', match),
    ...optional('when', when),
    ...optional('times', times),
    fault,
  };
  refuseImpossible(rule, path);
  return Object.freeze(rule);
}

function parseName(fields: Fields): string | undefined {
  const name = fields.text('name', { charsMax: nameCharsMax, charsMin: 1 });
  // A name with these characters could not be shown in the log or in a header.
  if (name !== undefined && /[\p{Cc}\p{Cs}]/u.test(name)) {
    fields.refuse('name', 'it must not contain control characters or half of a surrogate pair.');
  }
  return name;
}

function parseMatch(fields: Fields | undefined): FaultMatch | undefined {
  if (fields === undefined) return undefined;
  fields.only(matchMembers);
  const match: { -readonly [Name in keyof FaultMatch]: FaultMatch[Name] } = {};
  for (const name of matchMembers) {
    const pattern = fields.text(name, { charsMax: patternCharsMax });
    if (pattern !== undefined) match[name] = pattern;
  }
  const { operation } = match;
  if (operation !== undefined && namesFor(operation).length === 0) {
    fields.refuse('operation', `there is no operation ${JSON.stringify(operation)}; the log has their names.`);
  }
  return match;
}

function parseWhen(fields: Fields | undefined): FaultWhen | undefined {
  if (fields === undefined) return undefined;
  fields.only(whenMembers);
  const [name, another] = whenMembers.filter((one) => fields.has(one));
  if (name === undefined || another !== undefined) {
    return fields.refuse(another ?? 'nth', `exactly one of ${whenMembers.join(', ')} is given.`);
  }
  if (name === 'probability') {
    return { probability: fields.required(name, fields.number(name, { min: 0, max: 1 })) };
  }
  const count = fields.required(name, fields.whole(name, { min: 1, max: countMax }));
  return { [name]: count } as FaultWhen;
}

const namesFor = (pattern: string): string[] => Object.keys(operationTraits).filter(compileGlob(pattern));

/** Refuses a rule that would never take effect, because its fault cannot happen to the operations that it names. */
function refuseImpossible({ match, fault }: FaultRule, path: string): void {
  const pattern = match?.operation ?? '*';
  if (namesFor(pattern).some((operation) => canStrike(fault, operation))) return;
  const isPlace = placeOf(fault) === 'afterCommit';
  const isIndex = fault.kind === 'error' && fault.failedAt !== undefined;
  const field = isPlace ? 'fault.at' : isIndex ? 'fault.failedAt' : 'fault.kind';
  const what = isPlace ? 'afterCommit' : isIndex ? 'failedAt' : fault.kind;
  const need = isPlace ? 'an operation that writes' : isIndex ? batchOperationName : neededBy(fault.kind);
  throw new UnusableRule(
    path === '' ? field : `${path}.${field}`,
    `${what} is for ${need}, and match.operation is ${JSON.stringify(pattern)}.`,
  );
}

function neededBy(kind: string): string {
  if (kind === 'shortPage') return 'QueryEntities';
  return kind === 'expireContinuation' ? 'QueryEntities and QueryTables' : 'GetEntity and QueryEntities';
}
