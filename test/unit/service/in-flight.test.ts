import { describe, expect, it } from 'vitest';
import { InFlight } from '../../../src/service/in-flight.ts';

describe('Requests in flight', () => {
  const enter = (inFlight: InFlight): boolean => {
    inFlight.enter();
    return inFlight.admit();
  };

  it('are accepted up to their limit, and again after one has ended', () => {
    const inFlight = new InFlight({ requestsMax: 2 });
    expect([enter(inFlight), enter(inFlight), enter(inFlight)]).toEqual([true, true, false]);
    expect([inFlight.requests, inFlight.refused]).toEqual([3, 1]);
    inFlight.leave();
    expect(enter(inFlight)).toBe(false);
    inFlight.leave();
    inFlight.leave();
    expect(enter(inFlight)).toBe(true);
    expect(inFlight.requests).toBe(2);
  });

  it('are refused while too many bytes wait to be read', () => {
    const inFlight = new InFlight({ requestsMax: 10, waitingBytesMax: 100 });
    inFlight.hold(100);
    expect(enter(inFlight)).toBe(true);
    inFlight.hold(1);
    expect([enter(inFlight), inFlight.refused]).toEqual([false, 1]);
    inFlight.release(1);
    expect(enter(inFlight)).toBe(true);
    expect(inFlight.waitingBytes).toBe(100);
  });
});
