import { beforeEach, describe, expect, it } from 'vitest';
import { ControlError } from '../../../../src/control/control-error.ts';
import { Leases } from '../../../../src/control/data/leases.ts';
import { ManualTime } from '../../../support/manual-time.ts';

describe('a lease, which a client keeps over several requests,', () => {
  let time: ManualTime;
  let released: string[];
  let failures: unknown[];
  let leases: Leases<string>;

  beforeEach(() => {
    time = new ManualTime();
    released = [];
    failures = [];
    leases = new Leases<string>({
      machineTime: time,
      idleMsMax: 1000,
      countMax: 3,
      async release(item) {
        released.push(item);
        if (item.startsWith('stuck')) throw new Error('the disk is away');
      },
      onReleaseFailed: (error) => failures.push(error),
      tooMany: () => new ControlError('TooManyLoads', 'too many'),
      notFound: () => new ControlError('LoadNotFound', 'not found'),
    });
  });

  it('ends if there is no request for a while, and does no harm if ending it fails', async () => {
    const { id } = await leases.add(async () => 'stuck');
    time.advance(1000);
    expect(released).toEqual(['stuck']);
    expect(() => leases.use(id)).toThrow('not found');
    await expect.poll(() => failures).toMatchObject([{ message: 'the disk is away' }]);
  });

  it('ends when the emulator closes, even if ending another lease fails', async () => {
    for (const item of ['a', 'stuck', 'b']) await leases.add(async () => item);
    await leases.close();
    expect(released).toEqual(['a', 'stuck', 'b']);
  });

  it('tells the client that ends it whether ending it failed', async () => {
    const { id } = await leases.add(async () => 'stuck');
    await expect(leases.end(id)).rejects.toThrow('the disk is away');
    await leases.end(id);
    expect(released).toEqual(['stuck']);
  });

  it('does not end while it is in use', async () => {
    const { id } = await leases.add(async () => 'used');
    const { done } = leases.use(id);
    time.advance(1000);
    done();
    time.advance(999);
    expect(released).toEqual([]);
    time.advance(1);
    expect(released).toEqual(['used']);
  });

  it('ends when the emulator closes, even if it is still being opened', async () => {
    let finishOpening = (_item: string): void => undefined;
    const opening = leases.add(() => new Promise((resolve) => (finishOpening = resolve)));
    await leases.close();
    finishOpening('late');
    await expect(opening).rejects.toMatchObject({ code: 'Closing' });
    expect(released).toEqual(['late']);
    expect(time.pending).toBe(0);
  });
});
