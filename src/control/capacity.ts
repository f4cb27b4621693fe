import type { CapacityReport } from '../capacity/capacity-report.ts';
import type { ControlRoute } from './control-route.ts';
import type { ControlTools } from './control-tools.ts';

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { account: { type: 'string' } },
} as const;

/** GET /_emulator/capacity: loads, ranges, hot partitions, and what was or would have been refused. */
export function capacityRoute({ capacity }: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/capacity',
    schema: { querystring: querySchema },
    handler: async ({ query }): Promise<CapacityReport> => capacity.report((query as { account?: string }).account),
  };
}
