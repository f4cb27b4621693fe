import type { AdvisorRules } from '../advisor/advisor-rules.ts';
import { defaultThresholds, type RuleId, ruleIds } from '../advisor/thresholds.ts';
import type { RowsFor, Setting } from './setting.ts';

export interface AdvisorOptions {
  /** Judge the requests by Microsoft's design guides: `emulator.advisor.report()`. Default true. */
  readonly advisor?: boolean;
  /** Accepted findings, and changed rules and thresholds of the advisor. */
  readonly advisorRules?: AdvisorRules;
}

const objectOf = (properties: object): object => ({ type: 'object', additionalProperties: false, properties });

const ruleName = { $ref: '#/properties/advisor/definitions/rule' };
const byRule = (schema: object): object => ({ type: 'object', propertyNames: ruleName, additionalProperties: schema });

/** @internal */
export const advisorRows = {
  advisor: {
    kind: 'switch',
    flag: '--no-advisor',
    default: true,
    help: 'do not judge the requests by the design guides (tanzanite advise)',
  },
  advisorRules: {
    kind: 'object',
    member: 'advisor',
    expected: 'an object with ignore, rules and thresholds',
    help: 'accept findings of the advisor, turn rules off, or change their thresholds',
    read: readAdvisorRules,
    // The schema does not list the thresholds of each rule, because they would take up more space than all settings
    // together. `readAdvisorRules` checks them.
    schema: {
      ...objectOf({
        ignore: {
          type: 'array',
          items: {
            ...objectOf({ rule: ruleName, table: { type: 'string' }, reason: { type: 'string', minLength: 1 } }),
            required: ['rule', 'reason'],
          },
        },
        rules: byRule({ type: 'boolean' }),
        thresholds: byRule({ type: 'object', additionalProperties: { type: 'number', minimum: 0 } }),
      }),
      definitions: { rule: { type: 'string', enum: ruleIds } },
    },
  },
} as const satisfies RowsFor<AdvisorOptions>;

/** Flags that are not options of the library. */
export const adviceFlags = {
  advise: {
    kind: 'switch',
    flag: '--advise',
    default: false,
    help: "print the advisor's report when the emulator has stopped",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Reads the object of the settings file or the library. Throws an Error that names the invalid member. */
export function readAdvisorRules(value: unknown): AdvisorRules {
  const given = readObject(value, 'it', ['ignore', 'rules', 'thresholds']);
  const { ignore = [], rules = {}, thresholds = {} } = given;
  if (!Array.isArray(ignore)) throw new Error('ignore must be a list');
  for (const entry of ignore) readIgnore(entry);
  for (const [id, isOn] of Object.entries(readObject(rules, 'rules', ruleIds))) {
    if (typeof isOn !== 'boolean') throw new Error(`rules.${id} must be true or false`);
  }
  for (const [id, own] of Object.entries(readObject(thresholds, 'thresholds', ruleIds))) {
    const names = Object.keys(defaultThresholds[id as RuleId]);
    for (const [name, number] of Object.entries(readObject(own, `thresholds.${id}`, names))) {
      const isNumber = typeof number === 'number' && number >= 0 && Number.isFinite(number);
      if (!isNumber) throw new Error(`thresholds.${id}.${name} must be a number, 0 or more`);
    }
  }
  return given as AdvisorRules;
}

function readIgnore(entry: unknown): void {
  const { rule, table, reason } = readObject(entry, 'an entry of ignore', ['rule', 'table', 'reason']);
  if (!ruleIds.includes(rule as RuleId)) throw new Error(`there is no rule ${String(rule)} to ignore`);
  if (table !== undefined && (typeof table !== 'string' || table === ''))
    throw new Error('ignore: table must be a name');
  if (typeof reason !== 'string' || reason.trim() === '') throw new Error(`ignore: ${String(rule)} needs a reason`);
}

function readObject(value: unknown, name: string, members: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} must be an object`);
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  if (unknown !== undefined) throw new Error(`${name} has no member ${unknown}`);
  return value as Readonly<Record<string, unknown>>;
}
