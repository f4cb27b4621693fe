// `emulator.faults`, and the helpers for test runners, which remove faults.

import { describe, expect, it } from 'vitest';
import { type FaultRule, startEmulator } from '../../../src/index.ts';
import { useEmulatorWith } from '../../../src/library/use-emulator.ts';

const busy: FaultRule = { name: 'busy', fault: { kind: 'error', code: 'ServerBusy' } };

async function statusOf({ url }: { readonly url: string }): Promise<number> {
  return (await fetch(`${url}/devstoreaccount1/Tables`)).status;
}

describe('emulator.faults', () => {
  it('has no rules at first, and then no request is checked for faults', async () => {
    await using emulator = await startEmulator({ faultSeed: 3 });
    expect([await emulator.faults.list(), emulator.faults.seed]).toEqual([[], 3]);
    expect(await statusOf(emulator)).not.toBe(503);
  });

  it('adds a rule, which applies until the end of its block', async () => {
    await using emulator = await startEmulator();
    {
      await using fault = await emulator.faults.add(busy);
      expect(await emulator.faults.list()).toEqual([{ id: fault.id, ...busy, hits: 0, matched: 0 }]);
      expect(await statusOf(emulator)).toBe(503);
    }
    expect(await emulator.faults.list()).toEqual([]);
    expect(await statusOf(emulator)).not.toBe(503);
  });

  it('can release a rule that was already removed, or of a closed emulator', async () => {
    const emulator = await startEmulator();
    const first = await emulator.faults.add(busy);
    expect(await emulator.faults.remove(first.id)).toBe(true);
    expect(await emulator.faults.remove(first.id)).toBe(false);
    await first[Symbol.asyncDispose]();
    const second = await emulator.faults.add(busy);
    await emulator.close();
    await second[Symbol.asyncDispose]();
    await expect(emulator.faults.clear()).rejects.toThrow('closed');
  });

  it.each<[unknown, string]>([
    [{ fault: { kind: 'delay', ms: -1 } }, '"fault.ms"'],
    [{ ...busy, match: { operation: 'Insert' } }, '"match.operation"'],
    [undefined, 'must be an object'],
    [[busy], 'must be an object'],
  ])('refuses %j with the name of the field', async (rule, field) => {
    await using emulator = await startEmulator();
    await expect(emulator.faults.add(rule as FaultRule)).rejects.toThrow(field);
    expect(await emulator.faults.list()).toEqual([]);
  });

  it('is emptied by reset({ faults: true }), which empties nothing else', async () => {
    await using emulator = await startEmulator();
    await emulator.faults.add(busy);
    await emulator.reset({ faults: true });
    expect(await emulator.faults.list()).toEqual([]);
    await emulator.faults.add(busy);
    await emulator.reset();
    expect(await emulator.faults.list()).toHaveLength(1);
  });
});

describe('useEmulator', () => {
  it('removes all faults after each test', async () => {
    const hooks: Record<string, () => Promise<void>> = {};
    const keep =
      (name: string) =>
      (run: () => Promise<void>): void => {
        hooks[name] = run;
      };
    const emulator = useEmulatorWith({
      beforeAll: keep('beforeAll'),
      afterEach: keep('afterEach'),
      afterAll: keep('afterAll'),
    });
    await hooks['beforeAll']?.();
    await emulator.faults.add(busy);
    await hooks['afterEach']?.();
    expect(await emulator.faults.list()).toEqual([]);
    await hooks['afterAll']?.();
  });
});
