import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';

const capabilities = (...args: string[]) => runCommand(['capabilities', ...args]);

describe('capabilities', () => {
  it('prints a line for each row, and a summary', async () => {
    const { code, stdout, stderr } = await capabilities('--subject', 'limit');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^limit +entityBytesMax +as the service +documented$/m);
    expect(stdout).toMatch(
      /\nTanzanite \d+\.\d+\.\d+: \d+ rows, 0 marks in the source; \d+ of \d+ recorded responses are equal/,
    );
  });

  it('prints everything that is known about a name', async () => {
    const { code, stdout } = await capabilities('$top');
    expect(code).toBe(0);
    expect(stdout).toContain('option $top: QueryTables, QueryEntities');
    expect(stdout).toMatch(/^ {2}known {5}recorded \(/m);
    expect(stdout).toMatch(/^ {2}test {6}test\/conformance\//m);
  });

  it('prints what is assumed in the source, the assumption that clients meet most first', async () => {
    const { stdout } = await capabilities('--evidence', 'assumed');
    const counts = [...stdout.matchAll(/^ *(\d+) {2}src\//gm)].map(([, count]) => Number(count));
    expect(counts.length).toBeGreaterThan(50);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(counts[0]).toBeGreaterThan(0);
  });

  it('prints JSON', async () => {
    const { stdout } = await capabilities('--json', 'TableBeingDeleted');
    expect(JSON.parse(stdout)).toMatchObject({
      capabilities: [{ subject: 'refusal', name: 'TableBeingDeleted', detail: '409', done: 'differs' }],
    });
  });

  it.each([
    [['TableIsGone\u001b[2J'], /nothing has the name "TableIsGone\\u001b\[2J"/],
    [['--subject', 'header'], /--subject must be one of operation, option, request-header/],
    [['--evidence', 'rumour'], /--evidence must be one of recorded, documented, sdk, assumed/],
    [['one', 'two'], /capabilities takes 1 word, not 2/],
  ])('ends with 2 and one line for %j', async (args, line) => {
    const { code, stdout, stderr } = await capabilities(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
