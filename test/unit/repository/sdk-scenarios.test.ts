import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scenarios, scenariosOf, sdks } from '../../support/sdk-scenarios.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('test/sdk/scenarios.json', () => {
  it('contains each scenario once', () => {
    const ids = scenarios.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([]);
    expect(ids.length).toBeGreaterThan(60);
  });

  it('names only known SDKs as unable to express a scenario', () => {
    const named = scenarios.flatMap(({ cannot = {} }) => Object.keys(cannot));
    expect(named.filter((name) => !(name in sdks))).toEqual([]);
  });

  it('lists exactly the scenarios that test/sdk/js runs, for JavaScript', () => {
    const folder = `${root}/test/sdk/js`;
    const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
    const source = files.map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('\n');
    // A scenario's name is at the place where it is run, or in the table of a loop over keys.
    const run = [...source.matchAll(/\bscenario\('([a-z\d-]+)'|\['(key-[a-z-]+)'/g)].map(([, id, key]) => id ?? key);
    expect(run.sort()).toEqual([...scenariosOf('js')].sort());
  });
});

describe('docs/clients.md', () => {
  it('contains the table that scripts/sdk-matrix.mjs makes from the scenarios and the SDK versions', () => {
    const command = ['scripts/sdk-matrix.mjs', '--print'];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(readFileSync(`${root}/docs/clients.md`, 'utf8'), `run: node ${command[0]}`).toBe(stdout);
    expect(stdout).toContain(`| ${scenarios[0]?.area}: ${scenarios[0]?.does} |`);
  });
});
