// Runs a smoke test in another language and turns its report into tests. The program prints one JSON object per line:
//   {"check":"<id or title>","ok":true|false,"error":"…"}
// An expected check that is not reported fails. A reported check that is not expected fails too.
import { execFileSync, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkEnvironment } from './faster-starts.ts';
import { scenarios, titleOfScenario } from './sdk-scenarios.ts';
import { type RunningServer, startServer } from './start-server.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** A tool that a test needs, and the argument that makes it print its version. */
export type Tool = readonly [command: string, versionArgument: string];

export interface Smoke {
  readonly title: string;
  /** Undefined if something that the program needs is missing. The test has then already printed why. */
  readonly tool: Tool | undefined;
  /** The ids of scenarios, and the titles of other checks. */
  readonly expected: readonly string[];
  /** Installs or builds what the program needs. The first run may download it. */
  readonly prepare: () => Promise<Program>;
}

interface Report {
  readonly check: string;
  readonly ok: boolean;
  readonly error?: string;
}

interface Outcome {
  readonly reports: readonly Report[];
  readonly exitCode: number | null;
  readonly output: string;
}

const prepareTimeoutMs = 600_000;
const runTimeoutMs = 180_000;

export function describeSmoke(smoke: Smoke): void {
  if (smoke.tool === undefined) {
    describe.skip(smoke.title, () => defineChecks(smoke));
    return;
  }
  if (isInstalled(smoke.tool)) {
    describe(smoke.title, () => defineChecks(smoke));
    return;
  }
  const [command] = smoke.tool;
  const reason = `skipped, ${command} is not installed`;
  console.warn(`${smoke.title}: ${reason}`);
  describe.skip(`${smoke.title}: ${reason}`, () => defineChecks(smoke));
}

export function isInstalled([command, versionArgument]: Tool): boolean {
  try {
    execFileSync(command, [versionArgument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function defineChecks({ expected, prepare }: Smoke): void {
  let server: RunningServer | undefined;
  let outcome: Outcome = { reports: [], exitCode: null, output: 'the program did not run' };

  beforeAll(async () => {
    const program = await prepare();
    server = await startServer();
    outcome = await runProgram(program, server.connectionString);
  }, prepareTimeoutMs + runTimeoutMs);

  afterAll(() => server?.stop());

  it.each(expected.map((check) => ({ title: titleOf(check), check })))('$title', ({ check }) => {
    const report = outcome.reports.find((each) => each.check === check);
    if (!report) {
      throw new Error(`the program does not report this check\n${outcome.output}`);
    }
    if (!report.ok) {
      throw new Error(report.error ?? 'the check failed without a reason');
    }
  });

  it('reports exactly the expected checks, each once, and exits with 0', () => {
    expect(outcome.reports.map(({ check }) => check).sort()).toEqual([...expected].sort());
    expect(outcome.exitCode, outcome.output).toBe(0);
  });
}

function titleOf(check: string): string {
  return scenarios.some(({ id }) => id === check) ? titleOfScenario(check) : check;
}

/** Runs a tool to its end. If it fails, the error contains its output. */
export async function runTool({ command, args, cwd }: Program): Promise<void> {
  const { exitCode, output } = await runChild(
    { command, args, cwd },
    { env: networkEnvironment(), timeoutMs: prepareTimeoutMs },
  );
  if (exitCode !== 0) {
    throw new Error(`${command} ${args.join(' ')} ended with ${exitCode}\n${output}`);
  }
}

async function runProgram(program: Program, connectionString: string): Promise<Outcome> {
  const env = { ...process.env, TABLES_CONNECTION_STRING: connectionString };
  const { exitCode, stdout, output } = await runChild(program, { env, timeoutMs: runTimeoutMs });
  return { reports: stdout.split('\n').flatMap(parseReport), exitCode, output };
}

function parseReport(line: string): readonly Report[] {
  if (!line.startsWith('{')) {
    return [];
  }
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null || !('check' in value) || !('ok' in value)) {
    throw new Error(`not a report: ${line}`);
  }
  const error = 'error' in value && value.error ? { error: String(value.error) } : {};
  return [{ check: String(value.check), ok: value.ok === true, ...error }];
}

interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

interface ChildResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly output: string;
}

function runChild({ command, args, cwd }: Program, { env, timeoutMs }: ChildOptions): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, stdout, output }));
  });
}
