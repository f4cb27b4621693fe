import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checklist } from '../../../src/advisor/checklist.ts';
import { ruleConditions } from '../../../src/advisor/rule-conditions.ts';
import { ruleExamples } from '../../../src/advisor/rule-examples.ts';
import { rules } from '../../../src/advisor/rules.ts';
import { defaultThresholds, ruleIds } from '../../../src/advisor/thresholds.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('docs/advisor', () => {
  it('is what scripts/advisor-docs.mjs writes from the rules', () => {
    const script = ['scripts/advisor-docs.mjs', '--print'];
    const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: root, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const files = readdirSync(`${root}/docs/advisor`);
    const pages = Object.fromEntries(files.map((name) => [name, readFileSync(`${root}/docs/advisor/${name}`, 'utf8')]));
    expect(pages, 'run: node scripts/advisor-docs.mjs').toEqual(JSON.parse(stdout));
  });
});

describe('the rules', () => {
  it('are those of the table of thresholds, and each has texts, a bad example and a good one', () => {
    expect(rules.map(({ id }) => id)).toEqual(ruleIds);
    for (const { id, title, why, advice, source } of rules) {
      const { raised, notRaised } = ruleConditions[id];
      const { bad, good } = ruleExamples[id];
      const texts = [title, why, advice, raised, notRaised, ...bad, ...good, source.document, source.section];
      expect(
        texts.filter((text) => text.trim() === ''),
        id,
      ).toEqual([]);
      expect(Math.min(bad.length, good.length), id).toBeGreaterThan(0);
      expect(title, id).toMatch(/^[a-z`][^.]*$/);
      expect(why, id).toMatch(/\.$/);
      expect(advice, id).toMatch(/\.$/);
    }
  });

  it.each(rules)('$id names only its own thresholds in its description', ({ id }) => {
    const { raised, notRaised } = ruleConditions[id];
    const named = [...`${raised} ${notRaised}`.matchAll(/`([a-z]\w+)`/g)].map(([, name = '']) => name);
    const own = Object.keys(defaultThresholds[id]);
    expect(named.filter((name) => !own.includes(name) && name !== 'or')).toEqual([]);
  });

  it('are all in the checklist', () => {
    const watched = new Set(checklist.flatMap((row) => row.rules));
    expect(ruleIds.filter((id) => !watched.has(id))).toEqual([]);
  });
});
