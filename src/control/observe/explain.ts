import { pageEntitiesMax } from '../../model/limits.ts';
import { ServiceError } from '../../model/service-error.ts';
import { filterHints } from '../../query/filter-hint.ts';
import { type Plan, planQuery } from '../../query/plan.ts';
import { planAdvice } from '../../query/plan-advice.ts';
import { describeReport, type PlanText, planText, type QueryReport } from '../../query/report.ts';
import { scanRequest } from '../../storage/scan-request.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';

interface ExplainRequest {
  readonly filter: string;
  readonly table?: string;
  readonly account?: string;
  readonly top?: number;
}

/** The plan, and with a table the figures of one page. */
interface Explanation extends Partial<Pick<QueryReport, 'visited' | 'returned' | 'end'>> {
  readonly plan: PlanText;
  /** What would make the query cheaper; null if nothing is known to. */
  readonly advice: string | null;
  readonly sentence?: string;
}

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['filter'],
  properties: {
    filter: { type: 'string', description: 'The filter, as $filter holds it; an empty text selects everything.' },
    table: { type: 'string', description: 'A table to read one page of; without one, only the plan is given.' },
    account: {
      type: 'string',
      description: 'The account the table is in; without one, the first that is configured.',
    },
    top: {
      type: 'integer',
      minimum: 0,
      maximum: pageEntitiesMax,
      description: 'Entities at most on the page, as $top; without one, 1000.',
    },
  },
} as const;

/** POST /_emulator/explain: how a query is carried out and what would make it cheaper. */
export function explainRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'POST',
    url: '/_emulator/explain',
    schema: { body: requestSchema },
    handler: ({ body }) => explain(body as ExplainRequest, tools),
  };
}

async function explain(request: ExplainRequest, tools: ControlTools): Promise<Explanation> {
  const plan = planOf(request.filter, tools);
  const account = accountNamed(request.account, await tools.accounts());
  const planned = { plan: planText(plan), advice: planAdvice(plan) ?? null };
  if (request.table === undefined) return planned;
  const report = await runPage(plan, { ...request, account, table: request.table }, tools);
  const { visited, returned, end } = report;
  return { ...planned, visited, returned, end, sentence: describeReport(report) };
}

function planOf(filter: string, { filters }: ControlTools): Plan {
  try {
    return planQuery(filters.readFilter(filter));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const code = error.code === 'NotImplemented' ? 'NotImplemented' : 'InvalidInput';
    const { place, status: serviceStatus } = error;
    throw new ControlError(code, error.message, { serviceStatus, hints: filterHints(filter), ...(place && { place }) });
  }
}

async function runPage(
  plan: Plan,
  { table, account, top }: ExplainRequest & { readonly table: string; readonly account: string },
  { store, endsAtPartition }: ControlTools,
): Promise<QueryReport> {
  // An account that was never used has no tables, and gets no data by being asked.
  const outcome = (await store.exists(account))
    ? await store.account(account).scan(table, scanRequest(plan, { top, endsAtPartition }))
    : { kind: 'tableMissing' as const };
  switch (outcome.kind) {
    case 'page':
      return { plan, visited: outcome.visited, returned: outcome.entities.length, end: outcome.end };
    case 'tableMissing':
      throw new ControlError('TableNotFound', `"table": account ${account} has no table ${table}.`);
    case 'tableBeingDeleted':
      throw new ControlError('TableBeingDeleted', `"table": ${table} of account ${account} is being deleted.`);
  }
}
