// Runs the built command as a child process: starts it, collects its output, and waits for its end. This file does not
// depend on anything about tables.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const readyLine = /^Azurite Table service is successfully listening at (http:\/\/\S+)$/m;
// This is long enough for a busy machine. No test expects it to pass.
const readyTimeoutMs = 90_000;

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class ServerProcess {
  stdout = '';
  stderr = '';
  #child;
  #ended;

  constructor(args, { cwd, env, stdin = 'ignore' } = {}) {
    this.#child = spawn(process.execPath, [command, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: [stdin, 'pipe', 'pipe'],
    });
    running.add(this.#child);
    this.#child.stdout.setEncoding('utf8').on('data', (text) => (this.stdout += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text) => (this.stderr += text));
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        running.delete(this.#child);
        resolve({ code, signal });
      });
    });
    // If the start fails, both ready() and ended() reject with the error, so the error need not be reported here.
    this.#ended.catch(() => {});
  }

  get pid() {
    return this.#child.pid;
  }

  async ready(line = readyLine) {
    const found = new Promise((resolve) => {
      const look = () => {
        const url = line.exec(this.stdout)?.[1];
        if (url) resolve(url);
      };
      this.#child.stdout.on('data', look);
      look();
    });
    let timer;
    const tooLate = new Promise((resolve) => {
      timer = setTimeout(resolve, readyTimeoutMs);
    });
    const url = await Promise.race([found, this.#ended.then(() => undefined), tooLate]);
    clearTimeout(timer);
    if (url) return url;
    this.kill('SIGKILL');
    throw new Error(`the server did not become ready: ${this.stdout}${this.stderr}`);
  }

  endInput() {
    this.#child.stdin.end();
  }

  kill(signal) {
    this.#child.kill(signal);
  }

  /** Stops the process (Linux) until `resume`. Returns when its main thread has stopped. */
  pause() {
    this.kill('SIGSTOP');
    while (!/^State:\t[TZX]/m.test(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')));
  }

  resume() {
    this.kill('SIGCONT');
  }

  ended() {
    return this.#ended;
  }

  async end(signal) {
    this.kill(signal);
    return this.#ended;
  }
}
