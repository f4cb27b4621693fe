import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';
import { type HeatReport, reportHeat } from './heat-report.ts';
import { signRules, signsOf } from './heat-signs.ts';

/** Columns are kept this long. */
const minutesMax = 30;

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    account: { type: 'string' },
    table: { type: 'string', minLength: 1 },
    minutes: { type: 'string', pattern: `^([1-9]|[12][0-9]|${minutesMax})$` },
  },
} as const;

interface Query {
  readonly account?: string;
  readonly table?: string;
  readonly minutes?: string;
}

/** GET /_emulator/heatmap: where and when the partition keys of a table were used. */
export function heatmapRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/heatmap',
    schema: { querystring: querySchema },
    handler: async ({ query }) => reportOf(query as Query, tools),
  };
}

async function reportOf({ account, table, minutes = '15' }: Query, tools: ControlTools): Promise<HeatReport> {
  const name = accountNamed(account, await tools.accountNames());
  const report = reportHeat(tools.heat, { account: name, table, minutes: Number(minutes) });
  const findings = await tools.advisor?.findingsOf(signRules);
  return { ...report, signs: signsOf(findings ?? [], report) };
}
