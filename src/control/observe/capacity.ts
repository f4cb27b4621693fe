import type { CapacityReport } from '../../capacity/capacity-report.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { account: { type: 'string' } },
} as const;

/** GET /_emulator/capacity: loads, ranges, hot partitions, and requests that were or would have been throttled. */
export function capacityRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/capacity',
    schema: { querystring: querySchema },
    handler: async ({ query }) => capacityOf((query as { account?: string }).account, tools),
  };
}

/**
 * Returns the capacity report of an account or of all accounts. In both cases, the numbers of refusals are those of all
 * accounts, because the journal keeps sums for each second, not for each account. Throws ControlError.
 */
export async function capacityOf(
  account: string | undefined,
  { capacity, accountNames }: ControlTools,
): Promise<CapacityReport> {
  return capacity.report(account === undefined ? undefined : accountNamed(account, await accountNames()));
}
