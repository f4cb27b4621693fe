// Attacks a server: sends requests of all kinds, alone and a few at a time, while something fails and the server is
// killed. After each round, the stored data must be in a state that the answers allow.

import {
  type AccountState,
  advance,
  emptyAccount,
  mapAccounts,
  type State,
  type Step,
  statesMax,
  visibleOf,
} from '../simulation/model.ts';
import { accounts, type Operation, Operations } from '../simulation/operations.ts';
import { type Reply, type Request, Requests } from '../simulation/requests.ts';
import { Random } from '../support/random.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { testSeed as seed } from '../support/test-seed.ts';
import { AttackedServer } from './attack-server.ts';

const requestsPerRound = 40;

/** Nodes over one database share faults and the clock, and keep them across restarts. */
const shared: ReadonlySet<Operation['kind']> = new Set(['stageFault', 'clearFaults', 'turnClock']);

/** The server under attack, and how to disturb it. */
export interface Target {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a request without a response certainly had no effect, as long as the server runs. */
  readonly isCertain: boolean;
  /** Begins a disturbance, and returns its description. */
  disturb(random: Random): string;
  /** Ends all disturbances. */
  calm(): Promise<void>;
}

export class Attack {
  readonly #random: Random;
  readonly #operations: Operations;
  readonly #requests: Requests;
  readonly #target: Target;
  readonly #log: string[] = [];
  #process: ServerProcess | undefined;
  #server: AttackedServer | undefined;
  #states: readonly State[] = [Object.fromEntries(accounts.map((name) => [name, emptyAccount]))];
  readonly counts = { done: 0, refused: 0, notDone: 0, unknown: 0 };

  constructor(target: Target) {
    this.#random = new Random(seed);
    this.#operations = new Operations(this.#random);
    this.#requests = new Requests(target);
    this.#target = target;
  }

  async start(): Promise<void> {
    const { args, env = {} } = this.#target;
    this.#process = new ServerProcess(['--tablePort', '0', '--silent', '--accounts', 'any', ...args], { env });
    this.#server = new AttackedServer(await this.#process.ready());
    this.#requests.forgetProcess();
    this.#states = this.#states.map((state) => mapAccounts(state, (found) => ({ ...found, exports: {} })));
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#log.push(`-- ${signal}`);
    await this.#process?.end(signal);
    await this.#server?.close();
  }

  /** Sends requests, some of them during disturbances. A kill may interrupt the last ones. */
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

  /** Checks that the data is in one of the states that the responses allow. */
  async verify(): Promise<void> {
    const server = this.#server as AttackedServer;
    const found: Record<string, AccountState> = {};
    for (const account of accounts) found[account] = await server.read(account).catch((error) => this.#violated(error));
    const text = textOfAll(found);
    const possible = this.#states.filter((state) => textOfAll(state) === text);
    if (possible.length === 0) {
      this.#violated(`found ${text}\nexpected ${this.#states.slice(0, 4).map(textOfAll).join('\nor ')}`);
    }
    this.#states = possible;
  }

  /** Sends requests at the same time. */
  async #send(count: number): Promise<void> {
    const server = this.#server as AttackedServer;
    const requests: Request[] = [];
    for (const operation of this.#operations.together(count)) {
      const request = shared.has(operation.kind) ? undefined : this.#requests.of(operation);
      if (request) requests.push(request);
    }
    const replies = await Promise.all(requests.map(({ call }) => server.send(call)));
    const steps = requests.map((request, at) => stepOf(request, replies[at] as Reply));
    this.#log.push(steps.map(({ text }, at) => `${text}: ${replies[at]?.status}`).join(' | '));
    for (const { answer } of replies) this.counts[answer] += 1;
    const states = advance(this.#states, steps);
    if (states.length === 0) this.#violated(`wrong answer: ${replies.map(({ text }) => text).join(' | ')}`);
    for (const [at, request] of requests.entries()) request.settle?.(replies[at] as Reply);
    this.#states = states;
  }

  #violated(what: unknown): never {
    throw new Error(`seed ${seed}: ${what}\n${this.#log.slice(-60).join('\n')}\n${this.#process?.stderr}`);
  }
}

/** The step of the model for a request. The control plane does not know an account that no request has used. */
function stepOf({ account = '', text, after }: Request, reply: Reply): Step {
  if (!reply.text.includes('AccountNotFound')) return { text, after: after(reply) };
  const isEmpty = (state: State): boolean => visibleOf(state[account] ?? emptyAccount) === visibleOf(emptyAccount);
  return { text, after: (state) => (isEmpty(state) ? [state] : []) };
}

const textOfAll = (state: State): string =>
  JSON.stringify(accounts.map((account) => visibleOf(state[account] ?? emptyAccount)));
