import { defaultThresholds, type RuleId, type Thresholds } from './thresholds.ts';

/** Switches, thresholds and accepted findings. docs/advisor lists the rules and their thresholds. */
export interface AdvisorRules {
  /** Findings that are accepted, and why. */
  readonly ignore?: readonly { readonly rule: RuleId; readonly table?: string; readonly reason: string }[];
  /** `false` turns a rule off. */
  readonly rules?: Readonly<Partial<Record<RuleId, boolean>>>;
  /** Thresholds that replace the defaults: `{ "table-scan": { "visited": 500 } }`. */
  readonly thresholds?: { readonly [Id in RuleId]?: Readonly<Partial<Thresholds[Id]>> };
}

export function thresholdsOf<Id extends RuleId>(id: Id, { thresholds }: AdvisorRules): Thresholds[Id] {
  return { ...(defaultThresholds[id] as Thresholds[Id]), ...thresholds?.[id] };
}
