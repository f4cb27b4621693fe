import { beforeEach, describe, expect, it } from 'vitest';
import { ControlError } from '../../../../src/control/control-error.ts';
import { Leases } from '../../../../src/control/data/leases.ts';
import { ManualTime } from '../../../support/manual-time.ts';

describe('what a client holds over several requests', () => {
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

  it('is given back when it had no request for a while, and harms nothing if that fails', async () => {
    const { id } = await leases.add(async () => 'stuck');
    time.advance(1000);
    expect(released).toEqual(['stuck']);
    expect(() => leases.use(id)).toThrow('not found');
    await expect.poll(() => failures).toMatchObject([{ message: 'the disk is away' }]);
  });

  it('is given back as a whole at the end, even if that fails for one', async () => {
    for (const item of ['a', 'stuck', 'b']) await leases.add(async () => item);
    await leases.close();
    expect(released).toEqual(['a', 'stuck', 'b']);
  });

  it('tells the client that ends it whether that failed', async () => {
    const { id } = await leases.add(async () => 'stuck');
    await expect(leases.end(id)).rejects.toThrow('the disk is away');
    await leases.end(id);
    expect(released).toEqual(['stuck']);
  });

  it('is not given back while it is in use', async () => {
    const { id } = await leases.add(async () => 'used');
    const { done } = leases.use(id);
    time.advance(1000);
    done();
    time.advance(999);
    expect(released).toEqual([]);
    time.advance(1);
    expect(released).toEqual(['used']);
  });

  it('is given back at the end, even if it is still being opened', async () => {
    let finishOpening = (_item: string): void => undefined;
    const opening = leases.add(() => new Promise((resolve) => (finishOpening = resolve)));
    await leases.close();
    finishOpening('late');
    await expect(opening).rejects.toMatchObject({ code: 'Closing' });
    expect(released).toEqual(['late']);
    expect(time.pending).toBe(0);
  });
});
