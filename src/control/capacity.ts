import type { CapacityReport } from '../capacity/capacity-report.ts';
import { accountNamed } from './account-named.ts';
import type { ControlRoute } from './control-route.ts';
import type { ControlTools } from './control-tools.ts';

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { account: { type: 'string' } },
} as const;

/** GET /_emulator/capacity: loads, ranges, hot partitions, and what was or would have been refused. */
export function capacityRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/capacity',
    schema: { querystring: querySchema },
    handler: async ({ query }) => reportOf((query as { account?: string }).account, tools),
  };
}

/** Refusals are told of all accounts: the journal keeps sums of a second, not what each account has of them. */
async function reportOf(account: string | undefined, { capacity, accounts }: ControlTools): Promise<CapacityReport> {
  return capacity.report(account === undefined ? undefined : accountNamed(account, await accounts()));
}
