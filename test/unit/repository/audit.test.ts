import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

function judge(input: string, env: Readonly<Record<string, string>> = {}) {
  const { AUDIT_REQUIRED: _, ...inherited } = process.env;
  return spawnSync(process.execPath, ['scripts/judge-audit.mjs'], {
    cwd: root,
    input,
    encoding: 'utf8',
    env: { ...inherited, ...env },
  });
}

function report(severity: string): string {
  const via = [{ title: 'Reads beyond its end', url: 'https://example.com/advisory' }];
  return JSON.stringify({
    vulnerabilities: { planted: { name: 'planted', severity, range: '<2', via } },
    metadata: { vulnerabilities: { total: 1 }, dependencies: { total: 300 } },
  });
}

describe('the audit', () => {
  it.each(['high', 'critical'])('fails on an advisory of %s severity, and names it', (severity) => {
    const { status, stderr } = judge(report(severity));
    expect(stderr).toBe(`${severity}: planted <2: Reads beyond its end https://example.com/advisory\n`);
    expect(status).toBe(1);
  });

  it('passes on an advisory of moderate severity', () => {
    const { status, stdout } = judge(report('moderate'));
    expect(stdout).toBe('audit: 300 packages, 1 advisories, 0 high or critical\n');
    expect(status).toBe(0);
  });

  it.each([
    ['an error', '{"message":"405 Method Not Allowed","error":{}}'],
    ['nothing', ''],
  ])('is skipped in one line if the registry answers %s, and fails if it is required', (_, input) => {
    const { status, stdout } = judge(input);
    expect(stdout).toMatch(/^audit skipped, the registry gives no report: .+\n$/);
    expect(status).toBe(0);
    expect(judge(input, { AUDIT_REQUIRED: 'true' }).status).toBe(1);
  });
});
