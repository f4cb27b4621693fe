// Carries out a call of a tool: checks the input, does the work, and returns the result or the reason for a refusal.
// The size of the returned text is limited.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { toolResult } from '../../mcp/tool-result.ts';
import type { InputSchema } from '../../mcp/tools.ts';
import { toolsFor } from '../../mcp/tools.ts';
import { giveWay } from '../../model/schedule.ts';
import { ServiceError } from '../../model/service-error.ts';
import { StoreUnavailable } from '../../storage/store-unavailable.ts';
import { ControlError, storeRefusal } from '../control-error.ts';
import type { ControlTools } from '../control-route.ts';
import { describeTable } from './describe-table.ts';
import { maskWith } from './mask-secrets.ts';
import { adviseOn, explainRefusal, listRecentRequests, showCapacity, tryKeys } from './observe-tools.ts';
import { explainFilter, getEntityByKey, listSizedTables, queryTable } from './read-tools.ts';
import { type RecentReader, type ToolContext, ToolRefusal, type ToolWork } from './tool-context.ts';
import {
  advanceClock,
  clearFaultRules,
  putEntity,
  resetData,
  restoreSnapshotOf,
  saveSnapshotAs,
  seedTable,
  stageFaultRules,
} from './write-tools.ts';

const works: Readonly<Record<string, ToolWork>> = {
  list_tables: listSizedTables,
  describe_table: describeTable,
  query: queryTable,
  get_entity: getEntityByKey,
  explain_filter: explainFilter,
  recent_requests: listRecentRequests,
  why: explainRefusal,
  advise: adviseOn,
  capacity: showCapacity,
  simulate_keys: tryKeys,
  put_entity: putEntity,
  seed: seedTable,
  reset: resetData,
  snapshot_save: saveSnapshotAs,
  snapshot_restore: restoreSnapshotOf,
  faults_add: stageFaultRules,
  faults_clear: clearFaultRules,
  clock_advance: advanceClock,
};

/** How a value breaks a schema, as a sentence; undefined if it fits. */
export type Validate = (schema: InputSchema, value: unknown) => string | undefined;

export interface CalledTool {
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

export interface CallTools {
  readonly tools: ControlTools;
  readonly recent: RecentReader;
  readonly allowsWrites: boolean;
  readonly validate: Validate;
}

/** Rejects only if the call was cancelled. */
export async function callTool({ name, input, signal }: CalledTool, options: CallTools): Promise<CallToolResult> {
  const { tools, recent } = options;
  const pause = async (): Promise<void> => {
    await giveWay(tools.schedule);
    if (signal.aborted) throw new Abandoned();
  };
  const context: ToolContext = { tools, recent, pause, isAbandoned: () => signal.aborted };
  const found = await work(name, input, { ...options, context }).then(
    (answer) => ({ answer, isError: false }),
    (error: unknown) => ({ answer: { error: describeError(error, tools) }, isError: true }),
  );
  const mask = maskWith({ keys: await keysOf(tools), controlToken: tools.controlToken });
  return toolResult(found.answer, { mask, isError: found.isError });
}

class Abandoned extends Error {
  override readonly message = 'The call was cancelled.';
}

async function work(
  name: string,
  input: unknown,
  { allowsWrites, validate, context }: CallTools & { readonly context: ToolContext },
): Promise<object> {
  const tool = toolsFor({ allowsWrites }).find((one) => one.name === name);
  const run = works[name];
  if (!tool || !run) throw new ControlError('NotFound', 'There is no such tool here.');
  const fault = validate(tool.inputSchema, input);
  if (fault !== undefined) throw new ControlError('InvalidRequest', fault);
  return run(input as never, context);
}

async function keysOf({ accounts, accountNames }: ControlTools) {
  try {
    return [...new Set((await accountNames()).flatMap((name) => accounts.keysOf(name) ?? []))];
  } catch {
    // The store is unavailable, so the accounts are unknown, and so are the keys that would have to be masked. While
    // the store is unavailable, no entities can be read either.
    return [];
  }
}

function describeError(error: unknown, { onInternalError }: ControlTools): object {
  if (error instanceof ControlError || error instanceof StoreUnavailable) {
    const refusal = error instanceof ControlError ? error : storeRefusal(error);
    const { code, message, place, hints, serviceStatus: status, line, cause } = refusal;
    if (cause !== undefined) onInternalError(cause);
    return { code, message, status, line, place, hints };
  }
  if (error instanceof ServiceError) {
    const { code, message, why, status } = error;
    return { code, message, status, ...(why.length > 0 && { why }) };
  }
  if (error instanceof ToolRefusal) return { code: error.code, message: error.message };
  if (error instanceof Abandoned) return { code: 'Cancelled', message: error.message };
  onInternalError(error);
  return { code: 'InternalError', message: 'The emulator failed; its log says why.' };
}
