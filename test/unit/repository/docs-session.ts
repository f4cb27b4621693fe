// A folder, a port and an emulator for one page. The blocks of the page run in this folder from top to bottom, as a
// reader would run them.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { developmentKey } from '../../support/table-client.ts';
import type { Block } from './docs-blocks.ts';
import { runnerOf } from './docs-runners.ts';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const shim = fileURLToPath(new URL('docs-shims/tanzanite.mjs', import.meta.url));
const cli = join(root, 'dist/cli.js');
const blockTimeoutMs = 120_000;
/** Lines of a shell script that run `tanzanite` when a block calls it. */
const tanzanite = `case "$1" in
  start) ;;
  -v | -h | --version | --help | [!-]*) exec "${process.execPath}" "${cli}" "$@" ;;
esac
exec "${process.execPath}" "${shim}" "$@"`;

export interface Outcome {
  readonly status: number | null;
  readonly printed: string;
  readonly complaints: string;
}

export class DocsSession {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tanzanite-docs-'));
  readonly #state = mkdtempSync(join(tmpdir(), 'tanzanite-docs-state-'));
  readonly #port: number;
  #hasStarted = false;

  private constructor(port: number) {
    this.#port = port;
    const modules = join(this.#folder, 'node_modules');
    mkdirSync(modules);
    symlinkSync(root, join(modules, 'tanzanite'));
    for (const name of ['@azure', 'vitest']) symlinkSync(join(root, 'node_modules', name), join(modules, name));
    const goModule = readFileSync(join(root, 'examples/go/go.mod'), 'utf8');
    writeFileSync(join(this.#folder, 'go.mod'), goModule.replace('../../packages/go', join(root, 'packages/go')));
    copyFileSync(join(root, 'examples/go/go.sum'), join(this.#folder, 'go.sum'));
    this.#writeCommand('tanzanite', tanzanite);
    this.#writeCommand(
      'npx',
      `[ "$1 $2" = "--no tanzanite" ] || { echo "no such npx: $*" >&2; exit 1; }\nshift 2\n${tanzanite}`,
    );
    this.#writeCommand('npm', 'echo "npm is not run from a page: $*" >&2; exit 1');
  }

  static async open(): Promise<DocsSession> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((resolve) => server.close(() => resolve()));
    return new DocsSession(port);
  }

  /**
   * Runs a block. In the code of the block, replaces the default port with the port of this page. In the output of the
   * block, replaces the port of this page with the default port.
   */
  async run(block: Pick<Block, 'language' | 'text'>): Promise<Outcome> {
    const { language, text } = block;
    const runner = runnerOf(block);
    if (!runner) throw new Error(`nothing runs ${language}`);
    if (!this.#hasStarted && !/^\s*(npx --no )?tanzanite start\b/m.test(text)) await this.#start();
    this.#hasStarted = true;
    const source = runner.program(text).replace(/(127\.0\.0\.1|localhost):10002/g, `$1:${this.#port}`);
    const file = join(this.#folder, runner.file);
    writeFileSync(file, source);
    const [command, ...words] = runner.command(file);
    const outcome = await this.#spawn(command, words);
    return { ...outcome, printed: outcome.printed.replaceAll(`:${this.#port}`, ':10002') };
  }

  async #start(): Promise<void> {
    const { status, complaints } = await this.#spawn(process.execPath, [shim, 'start']);
    if (status !== 0) throw new Error(`the emulator of the page does not start: ${complaints}`);
  }

  #spawn(command: string, words: readonly string[]): Promise<Outcome> {
    const child = spawn(command, words, {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: blockTimeoutMs,
      env: this.#environment(),
    });
    let printed = '';
    let complaints = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (status) => resolve({ status, printed, complaints }));
    });
  }

  #environment(): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !/^(TANZANITE|AZURITE|NODE_OPTIONS|VITEST)/.test(name));
    const endpoint = `http://127.0.0.1:${this.#port}/devstoreaccount1`;
    return {
      ...Object.fromEntries(own),
      // The packages for other languages start this command.
      TANZANITE: `${process.execPath} ${cli}`,
      PATH: `${this.#state}:${process.env['PATH'] ?? ''}`,
      DOCS_CLI: cli,
      DOCS_PORT: String(this.#port),
      DOCS_STATE: this.#state,
      TANZANITE_URL: `http://127.0.0.1:${this.#port}`,
      TANZANITE_CONNECTION_STRING: `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${developmentKey};TableEndpoint=${endpoint};`,
    };
  }

  #writeCommand(name: string, lines: string): void {
    const file = join(this.#state, name);
    writeFileSync(file, `#!/bin/sh\n${lines}\n`);
    chmodSync(file, 0o755);
  }

  async close(): Promise<void> {
    const pid = existsSync(join(this.#state, 'pid')) ? Number(readFileSync(join(this.#state, 'pid'), 'utf8')) : 0;
    try {
      for (let tries = 0; pid > 0 && tries < 200; tries++) {
        process.kill(pid, tries === 0 ? 'SIGTERM' : 0);
        await sleep(25);
      }
    } catch {
      // The process has already ended.
    }
    for (const folder of [this.#folder, this.#state]) rmSync(folder, { recursive: true, force: true });
  }
}
