import { unmetered } from '../../capacity/meter.ts';
import { pageEntitiesMax, pageTimeMsMax } from '../../model/limits.ts';
import { ServiceError } from '../../model/service-error.ts';
import { type EntityPage, type QueryContext, queryEntities } from '../../operations/query-entities.ts';
import { filterHints } from '../../query/filter-hint.ts';
import { type Plan, planQuery } from '../../query/plan.ts';
import { planAdvice } from '../../query/plan-advice.ts';
import { describeReport, type PlanText, planText, type QueryReport } from '../../query/report.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';
import { unknownTable } from './unknown-table.ts';

export interface ExplainRequest {
  readonly filter: string;
  readonly table?: string;
  readonly account?: string;
  readonly top?: number;
}

/** The plan of a query and, if a table was given, the figures of one page. */
export interface Explanation extends Partial<Pick<QueryReport, 'visited' | 'returned' | 'end'>> {
  readonly plan: PlanText;
  /** What would make the query cheaper; null if nothing is known. */
  readonly advice: string | null;
  readonly sentence?: string;
}

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['filter'],
  properties: {
    filter: { type: 'string', description: 'The filter, as in $filter. An empty text selects everything.' },
    table: {
      type: 'string',
      description: 'The table of which to read one page. Without a table, only the plan is returned.',
    },
    account: {
      type: 'string',
      description: 'The account of the table. The default is the first configured account.',
    },
    top: {
      type: 'integer',
      minimum: 0,
      maximum: pageEntitiesMax,
      description: 'The largest number of entities on the page, as in $top. The default is 1000.',
    },
  },
} as const;

/** POST /_emulator/explain: how a query is carried out and what would make it cheaper. */
export function explainRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'POST',
    url: '/_emulator/explain',
    schema: { body: requestSchema },
    handler: ({ body }) => explainQuery(body as ExplainRequest, tools),
  };
}

/** Throws ControlError, also for a filter that the service refuses. */
export async function explainQuery(request: ExplainRequest, tools: ControlTools): Promise<Explanation> {
  const plan = planOfFilter(request.filter, tools);
  const account = accountNamed(request.account, await tools.accountNames());
  if (request.table === undefined) return explanationOf(plan);
  const { report } = await readQueryPage({ ...request, account, table: request.table }, tools);
  return explainReport(report);
}

/** What a page of a query cost. */
export function explainReport(report: QueryReport): Explanation {
  const { plan, visited, returned, end } = report;
  return { ...explanationOf(plan, report), visited, returned, end, sentence: describeReport(report) };
}

const explanationOf = (plan: Plan, seen?: QueryReport): Explanation => ({
  plan: planText(plan),
  advice: planAdvice(plan, seen) ?? null,
});

/** Throws ControlError for a filter that the service refuses. */
export function planOfFilter(filter: string, { queries }: Pick<ControlTools, 'queries'>): Plan {
  try {
    return planQuery(queries.filters.readFilter(filter));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const code = error.code === 'NotImplemented' ? 'NotImplemented' : 'InvalidInput';
    const { place, status: serviceStatus } = error;
    throw new ControlError(code, error.message, { serviceStatus, hints: filterHints(filter), ...(place && { place }) });
  }
}

export interface ExplainedPage extends ExplainRequest {
  readonly table: string;
  readonly account: string;
  /** Whether the page is no longer needed. */
  readonly isAbandoned?: () => boolean;
}

/**
 * Runs the query for one page, as the table service does, but uses none of the account's capacity. Throws ControlError.
 */
export async function readQueryPage(
  request: ExplainedPage,
  { store, queries, capacity }: ControlTools,
): Promise<EntityPage> {
  const { account, table, filter, top, isAbandoned = () => false } = request;
  // An account that was never used has no tables, and this query must not create data for it.
  if (!(await store.exists(account))) throw unknownTable('tableMissing', request);
  const accountStore = store.account(account);
  const meter = capacity.meter(account);
  const context: QueryContext = {
    ...queries,
    store: accountStore,
    meter: {
      ...unmetered,
      rangeEnd: (name, partitionKey) => meter.rangeEnd(name, partitionKey),
      forgetAbsentTable: (name) => meter.forgetAbsentTable(name),
    },
    range: undefined,
    waitMsMax: pageTimeMsMax,
    isAbandoned,
    record: { capacity: undefined, entities: [], visitedRange: undefined },
  };
  try {
    return await queryEntities(context, { table, filter, top });
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'TableNotFound')) throw error;
    const { kind } = await accountStore.findTable(table);
    throw unknownTable(kind === 'tableBeingDeleted' ? kind : 'tableMissing', request);
  }
}
