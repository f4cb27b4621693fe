// The tools that show what the application does, and what another design would do.

import { advisorIn } from '../observe/advisor.ts';
import { capacityOf } from '../observe/capacity.ts';
import { type SimulationBody, simulateDesign } from '../observe/simulate-keys.ts';
import { type ToolContext, ToolRefusal, type WantedRequests } from './tool-context.ts';

const requestsMax = 100;

export async function listRecentRequests(
  { limit = requestsMax, ...wanted }: Partial<WantedRequests>,
  { recent }: ToolContext,
): Promise<object> {
  return { since: recent.sinceAt, dropped: recent.dropped, requests: recent.list({ ...wanted, limit }) };
}

export async function explainRefusal(
  { requestId }: { readonly requestId?: string },
  { recent }: ToolContext,
): Promise<object> {
  const request = requestId === undefined ? recent.lastRefused() : recent.find(requestId);
  if (!request) {
    const what = requestId === undefined ? 'No request was refused' : 'There is no request of this id';
    throw new ToolRefusal(
      'RequestNotFound',
      `${what} among those kept since ${recent.sinceAt}. Send the request again, then ask again.`,
    );
  }
  const { status, code, why } = request as {
    readonly status: number;
    readonly code?: string;
    readonly why?: readonly string[];
  };
  const isRefused = status >= 400 || code !== undefined;
  const reasons = why ?? (isRefused ? ['The code and the message of the service say all that is known.'] : []);
  return { isRefused, status, ...(code !== undefined && { code }), why: reasons, request };
}

export async function adviseOn(
  { table, rule }: { readonly table?: string; readonly rule?: string },
  { tools }: ToolContext,
): Promise<object> {
  const report = await advisorIn(tools).report();
  const wanted = table?.toLowerCase();
  const findings = report.findings.filter(
    (finding) =>
      (wanted === undefined || finding.table?.toLowerCase() === wanted) &&
      (rule === undefined || finding.rule === rule),
  );
  const { from, to, requests, notJudged, tables } = report;
  const counts = countBy(report.findings.map(({ severity }) => severity));
  return { from, to, requests, notJudged, allFindings: counts, findings, tables };
}

function countBy(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

export async function showCapacity(
  { account }: { readonly account?: string },
  { tools }: ToolContext,
): Promise<object> {
  const report = await capacityOf(account, tools);
  // The history of two minutes is left out: it helps a person more than a model.
  return { ...report, accounts: report.accounts.map(({ history: _history, ...one }) => one) };
}

type SimulationInput = Omit<SimulationBody, 'entities'> & { readonly entities?: readonly object[] };

export async function tryKeys({ entities, ...input }: SimulationInput, { tools, pause }: ToolContext): Promise<object> {
  const body = { ...input, ...(entities && { entities: entities.map((one) => JSON.stringify(one)).join('\n') }) };
  return simulateDesign(body, tools, pause);
}
