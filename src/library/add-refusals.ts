import { escapeControls } from '../model/printable-text.ts';
import { isOfTool } from '../model/request-record.ts';
import type { RequestReport } from '../model/request-report.ts';
import { isNoteworthyReport } from '../model/summarize-request.ts';

/** Maximum number of refusals shown. Nobody would read more. */
const shownMax = 20;

/** Appends the refused requests to the error of a failed test, so that every reporter of the runner shows them. */
export function addRefusals(error: unknown, refusals: readonly RequestReport[]): void {
  if (refusals.length === 0 || !isError(error)) return;
  const shown = refusals.slice(-shownMax).map((refusal) => `\n  ${renderRefusal(refusal)}`);
  const dropped = refusals.length - shown.length;
  const text = `\n\ntanzanite refused requests of this test:${dropped > 0 ? `\n  … ${dropped} before` : ''}${shown.join('')}`;
  const { message, stack } = error;
  try {
    error.message = message + text;
    // The stack begins with the message. Some runners print the stack, others the message.
    if (typeof stack === 'string' && stack.includes(message))
      error.stack = stack.replace(message, () => message + text);
  } catch {
    // A frozen error cannot be changed.
  }
}

/** Whether a request of a test was refused, or a staged fault struck it. */
export const isRefused = (report: RequestReport): boolean =>
  (isNoteworthyReport(report) || report.fault !== undefined) && !isOfTool(report);

/**
 * Renders a refusal as one line, in the same form as the packages for other languages: `409 EntityAlreadyExists
 * InsertEntity pets "dog" "rex": …`.
 */
function renderRefusal(report: RequestReport): string {
  const { operation, table, partitionKey, rowKey, filter, status, code, batch, fault } = report;
  const keys = [partitionKey, rowKey, filter].flatMap((text) => (text === undefined ? [] : [JSON.stringify(text)]));
  const cause = batch?.refused;
  const parts = [
    `${status}`,
    code,
    operation,
    table,
    ...keys,
    cause && `(operation ${cause.index}, ${cause.operation}: ${cause.code})`,
    fault && `(staged by the fault ${JSON.stringify(fault.rule)}, ${fault.kind})`,
  ];
  const why = [...(report.why ?? []), ...(cause?.why ?? []), ...(batch?.warning ? [batch.warning] : [])];
  const line = parts.filter((part) => part !== undefined).join(' ');
  return escapeControls(why.length === 0 ? line : `${line}: ${why.join(' ')}`);
}

const isError = (value: unknown): value is { message: string; stack?: unknown } =>
  typeof value === 'object' && value !== null && typeof (value as Error).message === 'string';
