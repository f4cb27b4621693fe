// Runs programs that use an SDK and record traces. Collects the spans that the emulator records for the requests of
// these programs.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { type SeenSpan, startCollector } from '../../support/collector.ts';

/** A span that the program itself recorded. */
export interface CallerSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string | null;
}

export interface TracedRun {
  readonly caller: readonly CallerSpan[];
  /** The emulator's spans for requests to this table. */
  readonly served: readonly SeenSpan[];
}

export interface TracedProgram {
  /** Each run has another table, so that the spans of runs can be distinguished. */
  readonly table: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/**
 * Runs the programs one after the other against one emulator. The last line of each program's output contains the spans
 * of the program as JSON.
 */
export async function runTraced(programs: readonly TracedProgram[]): Promise<readonly TracedRun[]> {
  const collector = await startCollector();
  const emulator = await startEmulator({ otlp: collector.url });
  const callers: CallerSpan[][] = [];
  try {
    for (const { command, args, cwd, table } of programs) {
      const env = { ...process.env, AZURE_STORAGE_CONNECTION_STRING: emulator.connectionString, TABLE: table };
      const { stdout } = await promisify(execFile)(command, args, { cwd, env, timeout: 120_000 });
      callers.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as CallerSpan[]);
    }
  } finally {
    await emulator.close();
    await collector.close();
  }
  const spans = collector.spans();
  return programs.map(({ table }, at) => ({
    caller: callers[at] ?? [],
    served: spans.filter(({ attributes }) => attributes['db.collection.name'] === table),
  }));
}

/** The operations of each program on its table, in order. */
const operations = ['CreateTable', 'InsertEntity', 'GetEntity', 'BATCH InsertOrMergeEntity', 'QueryEntities'];

/** Expects that each request is a child of one of the program's spans, and belongs to the trace of the page. */
export function expectOneTrace({ caller, served }: TracedRun): void {
  const page = caller.find(({ name }) => name === 'page');
  expect(served.map(({ attributes }) => attributes['db.operation.name'])).toEqual(operations);
  expect(new Set(served.map(({ traceId }) => traceId))).toEqual(new Set([page?.traceId]));
  const known = new Map(caller.map((span) => [span.spanId, span]));
  for (const { parentSpanId = '' } of served) {
    let above = known.get(parentSpanId);
    expect(above, parentSpanId).toBeDefined();
    while (above && above.spanId !== page?.spanId) above = known.get(above.parentId ?? '');
    expect(above?.name).toBe('page');
  }
  expect(served.find(({ name }) => name.startsWith('BATCH'))?.attributes['db.operation.batch.size']).toBe(2);
}
