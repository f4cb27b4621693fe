import { describe, expect, it } from 'vitest';
import { traceAddress } from '../../src/console/pages/traffic/trace-address.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('The address of a trace', () => {
  it('is the address of the viewer, with the id of the trace', () => {
    expect(traceAddress('http://localhost:16686/trace/{traceId}?x={traceId}', traceId)).toBe(
      `http://localhost:16686/trace/${traceId}?x=${traceId}`,
    );
  });

  it.each([
    [null, traceId],
    [undefined, traceId],
    ['javascript:alert(1)//{traceId}', traceId],
    ['data:text/html,{traceId}', traceId],
    ['{traceId}', traceId],
    ['http://viewer/{traceId}', '"><script>'],
    ['http://viewer/{traceId}', `${traceId}\n`.slice(1)],
  ])('is absent for %s and %j', (template, id) => {
    expect(traceAddress(template, id)).toBeUndefined();
  });
});
