import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('docs/differences.md', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/differences.mjs', '--print'], {
    cwd: root,
    encoding: 'utf8',
  });

  it('equals the output of scripts/differences.mjs for the tests', () => {
    expect(status, stderr).toBe(0);
    const page = readFileSync(`${root}/docs/differences.md`, 'utf8');
    expect(page, 'run: node scripts/differences.mjs').toBe(stdout);
  });

  it('has a section for each deliberate difference, each with a list item', () => {
    const sections = stdout.split(/^## /m).slice(1);
    expect(sections.length).toBeGreaterThan(5);
    expect(sections.filter((section) => !/^- \S/m.test(section))).toEqual([]);
  });
});
