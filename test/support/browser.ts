// A headless Chromium that opens one page and records what the page does, through the DevTools protocol.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'undici';

const command = 'chromium';

export function isBrowserInstalled(): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

type Members = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Members;
  readonly result?: Members;
  readonly error?: { readonly message: string };
}

/** The time limit for loading a page. */
const loadTimeoutMs = 30_000;
/** The time limit for the end of the browser. */
const endTimeoutMs = 5_000;

export class BrowserPage {
  /** The addresses of all requests, including refused ones. */
  readonly requests: string[] = [];
  /** Errors in the console, including violations of the content security policy. */
  readonly errors: string[] = [];
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #loaded: () => void = () => undefined;
  #asked = 0;

  private constructor(process: ChildProcess, folder: string, socket: WebSocket) {
    this.#process = process;
    this.#folder = folder;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  static async start(): Promise<BrowserPage> {
    const folder = mkdtempSync(join(tmpdir(), 'browser-'));
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0'];
    const process = spawn(command, [...flags, `--user-data-dir=${folder}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const origin = await new Promise<string>((resolve, reject) => {
      let text = '';
      process.on('exit', () => reject(new Error(`the browser ended: ${text}`)));
      process.stderr.on('data', (chunk) => {
        text += chunk;
        const address = /DevTools listening on ws:\/\/([^/]+)\//.exec(text)?.[1];
        if (address !== undefined) resolve(`http://${address}`);
      });
    });
    const targets = (await (await fetch(`${origin}/json/list`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets.find(({ type }) => type === 'page')!.webSocketDebuggerUrl);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const page = new BrowserPage(process, folder, socket);
    for (const domain of ['Network', 'Log', 'Runtime', 'Page']) await page.send(`${domain}.enable`);
    return page;
  }

  /** Opens an address, as if a user had typed it. */
  async open(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve, reject) => {
      this.#loaded = resolve;
      setTimeout(() => reject(new Error(`${url} was not loaded`)), loadTimeoutMs).unref();
    });
    await this.send('Page.navigate', { url });
    await loaded;
  }

  /** Evaluates an expression in the page, and returns its value. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return (result as Members)['value'];
  }

  send(method: string, params: Members = {}): Promise<Members> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result ?? {})));
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Asks the browser to end. If it were killed, its other processes would write to the folder for a while. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), endTimeoutMs);
    this.#socket.send(JSON.stringify({ id: 0, method: 'Browser.close' }));
    await ended;
    clearTimeout(timer);
    this.#socket.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  #receive({ id, method, params = {}, ...rest }: Message): void {
    if (id !== undefined) this.#waiting.get(id)?.({ ...rest });
    if (method === 'Network.requestWillBeSent') this.requests.push((params['request'] as { url: string }).url);
    if (method === 'Page.loadEventFired') this.#loaded();
    if (method === 'Runtime.exceptionThrown') this.errors.push(JSON.stringify(params));
    if (method === 'Runtime.consoleAPICalled' && params['type'] === 'error') this.errors.push(JSON.stringify(params));
    if (method === 'Log.entryAdded') {
      const { level, text } = params['entry'] as { level: string; text: string };
      if (level === 'error' || level === 'warning') this.errors.push(text);
    }
  }
}
