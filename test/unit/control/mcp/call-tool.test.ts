// Calls tools with arbitrary input. The tools use the parts of an emulator directly.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ControlTools } from '../../../../src/control/control-route.ts';
import { callTool } from '../../../../src/control/mcp/call-tool.ts';
import { RecentRequests } from '../../../../src/control/mcp/recent-requests.ts';
import { systemSchedule } from '../../../../src/model/schedule.ts';

const failures: unknown[] = [];
const tools = {
  accountNames: async () => ['devstoreaccount1'],
  accounts: { keysOf: () => [] },
  capacity: { report: () => ({ targets: { account: 20_000, partition: 2_000 } }) },
  schedule: systemSchedule,
  onInternalError: (error: unknown) => failures.push(error),
} as unknown as ControlTools;
const options = {
  tools,
  recent: new RecentRequests({ nowMs: 0, monotonicMs: 0 }),
  allowsWrites: false,
  validate: () => undefined,
};
const trial = {
  name: 'simulate_keys',
  input: {
    entities: Array.from({ length: 50 }, (_, at) => ({ Name: `n${at}` })),
    queries: Array.from({ length: 50 }, (_, at) => ({ filter: `Name eq 'n${at}'` })),
    partitionKey: '{Name}',
    rowKey: '',
  },
};

describe('a call', () => {
  it('is carried out', async () => {
    const result = await callTool({ ...trial, signal: new AbortController().signal }, options);
    expect(result.structuredContent).toMatchObject({ totals: { design: { visited: 50 } } });
  });

  it('ends in the middle of its work when its caller has disconnected', async () => {
    const gone = new AbortController();
    let turns = 0;
    const schedule = {
      ...systemSchedule,
      nextTurn(run: () => void) {
        if (++turns === 2) gone.abort();
        return systemSchedule.nextTurn(run);
      },
    };
    const many = Array.from({ length: 20_000 }, (_, at) => ({ Name: `n${at}` }));
    const input = { ...trial.input, entities: many };
    const call = callTool({ ...trial, input, signal: gone.signal }, { ...options, tools: { ...tools, schedule } });
    expect((await call).structuredContent).toEqual({
      error: { code: 'Cancelled', message: 'The call was cancelled.' },
    });
    expect(turns).toBeLessThan(10);
  });

  it('of an unknown tool, or of a tool that is not offered, is refused', async () => {
    for (const name of ['nothing', 'reset', '__proto__', 'constructor', 'toString']) {
      const result = await callTool({ name, input: {}, signal: new AbortController().signal }, options);
      expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'NotFound' } } });
    }
  });

  it('says that the emulator failed, without details, and logs the failure', async () => {
    const failing = { ...tools, accountNames: () => Promise.reject(new Error('the details')) } as ControlTools;
    const result = await callTool({ ...trial, signal: new AbortController().signal }, { ...options, tools: failing });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'InternalError' } } });
    expect(JSON.stringify(result)).not.toContain('the details');
    expect(failures.splice(0)).toMatchObject([{ message: 'the details' }]);
  });

  it('simulates any design of keys, or refuses it', async () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('{Name}', '{Name:000}', '{hash(Name,4)}', '{Name:ticks}', '{PartitionKey}', '{', '}}'),
    );
    const key = fc.array(word, { maxLength: 3 }).map((words) => words.join(''));
    const entity = fc.dictionary(
      fc.oneof(fc.constantFrom('Name', 'PartitionKey', 'RowKey', '__proto__'), fc.string({ maxLength: 5 })),
      fc.oneof(fc.string({ unit: 'binary', maxLength: 10 }), fc.integer(), fc.double(), fc.boolean()),
      { maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entity, { maxLength: 5 }), key, key, async (entities, partitionKey, rowKey) => {
        const input = { entities, partitionKey, rowKey };
        const result = await callTool({ name: 'simulate_keys', input, signal: new AbortController().signal }, options);
        expect(result.structuredContent).not.toMatchObject({ error: { code: 'InternalError' } });
      }),
      { numRuns: 100 },
    );
    expect(failures).toEqual([]);
  });
});
