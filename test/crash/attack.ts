// An attack on a server: requests of all kinds, alone and a few at a time, while something fails and the server is killed. After
// each round the data must be in a state that the answers allow.

import { Random } from '../support/random.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { testSeed as seed } from '../support/test-seed.ts';
import { advance, emptyAccount, type State, type Step, statesMax, textOf, visibleOf } from './attack-model.ts';
import { AttackedServer, type Reply } from './attack-server.ts';
import { accounts, type Request, Requests } from './attack-steps.ts';

const requestsPerRound = 40;

/** What is attacked, and how it is disturbed. */
export interface Target {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a request without an answer of its own did not happen, as long as the server runs. */
  readonly isCertain: boolean;
  /** Begins a disturbance, and says which. */
  disturb(random: Random): string;
  /** Ends all disturbances. */
  calm(): Promise<void>;
}

export class Attack {
  readonly #random: Random;
  readonly #requests: Requests;
  readonly #target: Target;
  readonly #log: string[] = [];
  #process: ServerProcess | undefined;
  #server: AttackedServer | undefined;
  #states: readonly State[] = [Object.fromEntries(accounts.map((name) => [name, emptyAccount]))];
  readonly counts = { done: 0, refused: 0, unknown: 0 };

  constructor(target: Target) {
    this.#random = new Random(seed);
    this.#requests = new Requests(this.#random, target);
    this.#target = target;
  }

  async start(): Promise<void> {
    const { args, env = {} } = this.#target;
    this.#process = new ServerProcess(['--tablePort', '0', '--silent', '--accounts', 'any', ...args], { env });
    this.#server = new AttackedServer(await this.#process.ready());
    this.#requests.forgetLoads();
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#log.push(`-- ${signal}`);
    await this.#process?.end(signal);
    await this.#server?.close();
  }

  /** Some requests, in part while it is disturbed; the last ones may meet a kill. */
  async round(): Promise<void> {
    for (let request = 0; request < requestsPerRound && this.#states.length < statesMax; request++) {
      if (this.#random.next() < 0.25) this.#log.push(`-- ${this.#target.disturb(this.#random)}`);
      if (this.#random.next() < 0.2) await this.#target.calm();
      await this.#send(this.#random.next() < 0.35 ? 2 : 1);
    }
    await this.#target.calm();
    await this.verify();
    if (this.#random.next() < 0.5) {
      const ending = this.#send(3);
      await new Promise((resolve) => setImmediate(resolve));
      for (let turn = this.#random.integer(0, 40); turn > 0; turn--) await new Promise((done) => setImmediate(done));
      await this.stop('SIGKILL');
      await ending;
    } else await this.stop(this.#random.next() < 0.5 ? 'SIGTERM' : 'SIGKILL');
    await this.start();
    await this.verify();
  }

  /** The data must be in one of the states that the answers allow. */
  async verify(): Promise<void> {
    const server = this.#server as AttackedServer;
    const found: Record<string, State[string]> = {};
    for (const account of accounts) found[account] = await server.read(account).catch((error) => this.#violated(error));
    const text = visibleOf(found);
    const possible = this.#states.filter((state) => visibleOf(state) === text);
    if (possible.length === 0) {
      this.#violated(`found ${text}\nexpected ${this.#states.slice(0, 4).map(visibleOf).join('\nor ')}`);
    }
    this.#states = possible;
  }

  /** Sends requests together. */
  async #send(count: number): Promise<void> {
    const server = this.#server as AttackedServer;
    const requests: Request[] = [];
    for (let at = 0; at < count; at++) requests.push(this.#requests.next());
    const replies = await Promise.all(requests.map((request) => request.send(server)));
    const steps = requests.map((request, at) => stepOf(request, replies[at] as Reply));
    this.#log.push(steps.map(({ text }, at) => `${text}: ${replies[at]?.status}`).join(' | '));
    for (const { answer } of steps) this.counts[answer] += 1;
    const states = advance(this.#states, steps);
    if (states.length === 0) this.#violated(`wrong answer: ${replies.map(({ text }) => text).join(' | ')}`);
    for (const [at, request] of requests.entries()) request.settle?.(replies[at] as Reply);
    this.#states = states;
  }

  #violated(what: unknown): never {
    throw new Error(`seed ${seed}: ${what}\n${this.#log.slice(-60).join('\n')}\n${this.#process?.stderr}`);
  }
}

/** The control plane does not know an account that was never used. */
function stepOf({ account, text, effect }: Request, reply: Reply): Step {
  const { answer } = reply;
  if (!reply.text.includes('AccountNotFound')) return { text, effect, answer };
  const isUsed = (state: State): boolean => textOf(state[account]) !== textOf(emptyAccount);
  return { text, answer, effect: (state) => (isUsed(state) ? state : undefined) };
}
