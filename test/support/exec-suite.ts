// Runs a test suite of another language under `tanzanite exec`. The variable SUITE tells the suite to pass, to fail, to
// cause findings, or to hang.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { isInstalled, type Program, type Tool } from './run-checks.ts';
import { ServerProcess } from './server-process.mjs';

export interface ExecSuite {
  readonly title: string;
  /** Undefined if something that the suite needs is missing. */
  readonly tool: Tool | undefined;
  /** Installs or builds what the suite needs. The first run may download it. */
  readonly prepare: () => Promise<Program>;
  /** The suite's exit code when one of its tests fails. */
  readonly failureCode: number;
}

const prepareTimeoutMs = 600_000;

export function describeExecSuite({ title, tool, prepare, failureCode }: ExecSuite): void {
  describe.skipIf(!tool || !isInstalled(tool))(`${title} under tanzanite exec`, () => {
    let program: Program;
    beforeAll(async () => {
      program = await prepare();
    }, prepareTimeoutMs);

    const start = (mode: string, ...flags: string[]): { command: ServerProcess; run: string } => {
      const run = randomUUID();
      const words = ['exec', '--env', 'MY_TABLES', ...flags, '--', program.command, ...program.args];
      return { command: new ServerProcess(words, { cwd: program.cwd, env: { SUITE: mode, SUITE_RUN: run } }), run };
    };

    it.each([
      ['passes', 'pass', ['--fail-on', 'error'], 0],
      ['fails', 'fail', [], failureCode],
      ['passes with findings', 'findings', ['--fail-on', 'warning'], 3],
    ])('has the right exit code when it %s', async (_case, mode, flags, expected) => {
      const { command } = start(mode, ...flags);
      expect((await command.ended()).code, `${command.stdout}${command.stderr}`).toBe(expected);
      if (mode === 'findings') expect(command.stderr).toContain('or-of-keys in Suites');
    });

    it('is ended by SIGTERM, and leaves no process', async () => {
      const { command, run } = start('hang');
      await expect.poll(() => command.stdout, { timeout: 120_000 }).toContain('hanging');
      const { code } = await command.end('SIGTERM');
      expect(code, `${command.stdout}${command.stderr}`).not.toBe(0);
      expect(processesOf(run)).toEqual([]);
    });
  });
}

/** The process ids of a run, by a variable that its processes inherit. Empty on a system without /proc. */
function processesOf(run: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(run);
    } catch {
      return false;
    }
  });
}
