import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineFault, recordBytesMax } from '../../../src/data/file-fault.ts';
import { type LineBlock, LineBlocks } from '../../../src/data/line-blocks.ts';

const limits = { lines: 3, bytes: 12 };

function blocksOf(pieces: readonly Buffer[]): LineBlock[] {
  const blocks = new LineBlocks(limits);
  const cut: LineBlock[] = [];
  for (const piece of pieces) {
    // The pieces share a buffer, because the reader of a file reuses its buffer.
    const shared = Buffer.from(piece);
    cut.push(...blocks.push(shared));
    shared.fill('!');
  }
  cut.push(...blocks.end());
  return cut;
}

describe('the blocks of a file', () => {
  it('contain the entire file, end with a line, know the number of their first line, and are small', () => {
    const text = fc.array(fc.constantFrom('\n', 'a', 'b\n', 'long line', '\r\n'), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (parts) => {
        const pieces = parts.map((part) => Buffer.from(part.join('')));
        const whole = Buffer.concat(pieces).toString();
        const blocks = blocksOf(pieces);
        expect(Buffer.concat(blocks.map(({ bytes }) => bytes)).toString()).toBe(whole);
        let before = '';
        for (const { bytes, firstLine } of blocks) {
          expect(firstLine).toBe(before.split('\n').length);
          before += bytes.toString();
          const lines = bytes.toString().split(/(?<=\n)/);
          // An empty line, or one with only a carriage return, is not an entity.
          expect(lines.filter((line) => line.trimEnd().length > 1).length).toBeLessThanOrEqual(limits.lines);
          expect(bytes.length - (lines.at(-1)?.length ?? 0)).toBeLessThan(limits.bytes);
          if (before !== whole) expect(before.endsWith('\n')).toBe(true);
        }
      }),
    );
  });

  it('are few for a file of blank lines', () => {
    const blocks = new LineBlocks({ lines: 3, bytes: 1_000 });
    const cut = [...blocks.push(Buffer.from('\r\n'.repeat(2_000))), ...blocks.end()];
    expect(cut.map(({ bytes, firstLine }) => [bytes.length, firstLine])).toEqual([
      [1_000, 1],
      [1_000, 501],
      [1_000, 1_001],
      [1_000, 1_501],
    ]);
  });

  it('are refused for a line that is too long, before it has ended', () => {
    const blocks = new LineBlocks({ lines: 100, bytes: 1_000 });
    const push = (bytes: Buffer): LineBlock[] => [...blocks.push(bytes)];
    push(Buffer.from('first\nsecond'));
    const long = Buffer.alloc(recordBytesMax, 'x');
    expect(() => push(long)).toThrow(LineFault);
    try {
      push(long);
    } catch (error) {
      expect(error).toMatchObject({ line: 2, message: expect.stringContaining('longer than 4 MiB') });
    }
  });
});
