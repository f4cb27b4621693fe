import type { Finding } from '../../advisor/report.ts';
import { keyOfLiteral } from '../../advisor/show-request.ts';
import type { RuleId } from '../../advisor/thresholds.ts';

/** A pattern in a heat map that a design should avoid, as the advisor found it in the table. */
export type HeatSign =
  /** `share` of the requests go to one partition of several: 0 to 1. */
  | { readonly kind: 'hot partition'; readonly partitionKey: string; readonly share: number }
  /** All entities are in one partition. */
  | { readonly kind: 'lone partition'; readonly partitionKey: string; readonly share: number }
  /** New partitions come after all earlier ones, or before them. */
  | { readonly kind: 'append-only' | 'prepend-only' };

const signs: { readonly [Id in RuleId]?: (finding: Finding) => HeatSign } = {
  'hot-partition': ({ evidence: { partitionKey = '', requests, ofRequests } }) => {
    const share = Number(requests) / Number(ofRequests);
    return { kind: 'hot partition', partitionKey: keyOfLiteral(String(partitionKey)), share };
  },
  'lone-partition': ({ evidence: { partitionKey = '' } }) => {
    return { kind: 'lone partition', partitionKey: keyOfLiteral(String(partitionKey)), share: 1 };
  },
  'append-only-keys': () => ({ kind: 'append-only' }),
  'prepend-only-keys': () => ({ kind: 'prepend-only' }),
};

/** The rules whose findings are signs. */
export const signRules = Object.keys(signs) as readonly RuleId[];

export function signsOf(
  findings: readonly Finding[],
  { account, table }: { readonly account: string; readonly table: string | null },
): readonly HeatSign[] {
  const own = findings.filter(
    (finding) => finding.account === account && finding.table?.toLowerCase() === table?.toLowerCase(),
  );
  return own.flatMap((finding) => signs[finding.rule as RuleId]?.(finding) ?? []);
}
