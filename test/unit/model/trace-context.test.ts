import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTraceparent } from '../../../src/model/trace-context.ts';

const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

describe('The header traceparent', () => {
  it('names the trace, the span of the caller, and whether the caller records', () => {
    expect(parseTraceparent(`00-${traceId}-${parentId}-01`)).toEqual({ traceId, parentId, isSampled: true });
    expect(parseTraceparent(`00-${traceId}-${parentId}-00`)).toEqual({ traceId, parentId, isSampled: false });
  });

  it('has only its lowest flag read, because others may be added', () => {
    expect(parseTraceparent(`00-${traceId}-${parentId}-03`)?.isSampled).toBe(true);
    expect(parseTraceparent(`00-${traceId}-${parentId}-fe`)?.isSampled).toBe(false);
  });

  it('of a later version may have more fields', () => {
    expect(parseTraceparent(`cc-${traceId}-${parentId}-01`)?.traceId).toBe(traceId);
    expect(parseTraceparent(`cc-${traceId}-${parentId}-01-what-the-future-brings`)?.traceId).toBe(traceId);
  });

  it.each([
    ['is empty', ''],
    ['ends early', `00-${traceId}-${parentId}`],
    ['has more fields in version 00', `00-${traceId}-${parentId}-01-more`],
    ['goes on without a hyphen', `cc-${traceId}-${parentId}-01.more`],
    ['has the version that is forbidden', `ff-${traceId}-${parentId}-01`],
    ['has capital letters', `00-${traceId.toUpperCase()}-${parentId}-01`],
    ['names no trace', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['names no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['has a short id', `00-${traceId.slice(1)}-${parentId}-01`],
    ['has flags that are not a number', `00-${traceId}-${parentId}-0x`],
    ['is there twice, joined as Node does', `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`],
    ['has a blank at the end', `00-${traceId}-${parentId}-01 `],
    ['has a line behind it', `00-${traceId}-${parentId}-01\n`],
  ])('is ignored if it %s', (_name, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  it('gives ids of hexadecimal digits or nothing, whatever it contains', () => {
    const part = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFg-, \n'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const context = parseTraceparent(parts.join('-'));
        if (!context) return;
        expect(context.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
        expect(context.parentId).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
      }),
    );
  });
});
