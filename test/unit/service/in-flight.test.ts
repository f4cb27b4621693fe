import { describe, expect, it } from 'vitest';
import { InFlight } from '../../../src/service/in-flight.ts';

describe('Requests in flight', () => {
  it('have room up to their bound, and again once one has left', () => {
    const inFlight = new InFlight(2);
    expect([inFlight.enter(), inFlight.enter(), inFlight.enter()]).toEqual([true, true, false]);
    expect(inFlight.requests).toBe(3);
    inFlight.leave();
    expect(inFlight.enter()).toBe(false);
    inFlight.leave();
    inFlight.leave();
    expect(inFlight.enter()).toBe(true);
    expect(inFlight.requests).toBe(2);
  });
});
