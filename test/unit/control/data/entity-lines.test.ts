import { describe, expect, it } from 'vitest';
import { readEntityLines } from '../../../../src/control/data/entity-lines.ts';

const line = (rowKey: number): string => `{"PartitionKey":"p","RowKey":"${rowKey}","Text":"ä€😀"}\n`;

describe('The lines of a large body', () => {
  it.each([
    ['blank', '\n'.repeat(300_000), 0],
    ['short', Array.from({ length: 5_000 }, (_, at) => line(at)).join(''), 5_000],
  ])('do not block other work while they are read: %s lines', async (_, text, count) => {
    let turns = 0;
    let immediate = setImmediate(function note() {
      turns += 1;
      immediate = setImmediate(note);
    });
    const { entities } = await readEntityLines(Buffer.from(text), undefined);
    clearImmediate(immediate);
    expect(entities).toHaveLength(count);
    expect(turns).toBeGreaterThan(10);
  });

  it('are the same wherever the body is cut', async () => {
    const text = `\n${Array.from({ length: 1_000 }, (_, at) => line(at)).join('\n')}`;
    const { entities, lines } = await readEntityLines(Buffer.from(text), undefined);
    expect(entities.map(({ rowKey }) => Number(rowKey))).toEqual(Array.from({ length: 1_000 }, (_, at) => at));
    expect(new Set(entities.map(({ properties }) => properties))).toHaveLength(1);
    expect(lines).toEqual(Array.from({ length: 1_000 }, (_, at) => 2 * at + 2));
  });

  it('are refused with the number of the wrong line', async () => {
    const body = Buffer.from(`${'\n'.repeat(40_000)}nothing\n`);
    await expect(readEntityLines(body, undefined)).rejects.toMatchObject({ code: 'InvalidRequest', line: 40_001 });
  });
});
