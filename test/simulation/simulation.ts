// Runs a plan. The parent process starts and stops the simulated process, sends the operations, and compares every
// answer with the model.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AccountState,
  advance,
  changes,
  emptyAccount,
  mapAccounts,
  type State,
  type Step,
  statesMax,
  type TableState,
  visibleOf,
} from './model.ts';
import { accounts, startMs } from './operations.ts';
import type { Group, Life, Plan, PlannedStep } from './plan.ts';
import type { FoundAccount, SentReply, SentRequest } from './protocol.ts';
import { type KeyedRow, type Reply, type Request, Requests, rowsOf } from './requests.ts';
import { SimulatedProcess, type Spoken, Violation } from './simulated-process.ts';
import type { WireCall } from './wire-calls.ts';

export interface SimulationOptions {
  /** The path of the bundled service-process.ts. */
  readonly process: string;
  /** The library that simulates the disk. If undefined, the data is in memory. */
  readonly library: string | undefined;
  /** A folder that is empty, or is created. */
  readonly folder: string;
}

export interface Outcome {
  /** What is wrong, or undefined if nothing is. */
  readonly violation: string | undefined;
  /** A hash of the requests, the answers and the calls on files. */
  readonly hash: string;
  readonly history: readonly string[];
  readonly counts: Readonly<Record<'done' | 'refused' | 'notDone' | 'unknown' | 'crashes', number>>;
}

export async function simulate(plan: Plan, options: SimulationOptions): Promise<Outcome> {
  const run = new Run(plan, options);
  try {
    await run.live();
    return run.outcome(undefined);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return run.outcome(error.message);
  } finally {
    await run.end();
  }
}

/** An additional last life, which reads the data that the previous one has left, and lets background work end. */
const lastLife: Life = {
  seed: 1,
  disk: [],
  dateMs: 0,
  steps: [{ kind: 'rest', seed: 2 }, { kind: 'verify' }],
  end: 'close',
};

/** How the last process ended. */
type Ending = 'closed' | 'killed' | 'powerLost';

class Run {
  readonly #plan: Plan;
  readonly #options: SimulationOptions;
  readonly #requests = new Requests({ isCertain: true });
  readonly #history: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #counts = { done: 0, refused: 0, notDone: 0, unknown: 0, crashes: 0 };
  #states: readonly State[] = [Object.fromEntries(accounts.map((name) => [name, emptyAccount]))];
  /**
   * For each account, all states that it may have had. If writes are not synced, a loss of power may return the account
   * to any of these states.
   */
  readonly #past = new Map<string, Map<string, AccountState>>();
  /** For each account, the latest version of an entity. */
  readonly #latest = new Map<string, string>();
  #process: SimulatedProcess | undefined;
  #requestCount = 0;
  #hasFailed = false;
  #hasStaged = false;

  constructor(plan: Plan, options: SimulationOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  async live(): Promise<void> {
    mkdirSync(this.#options.folder, { recursive: true });
    for (const state of this.#states) this.#remember(state);
    for (const life of this.#plan.lives) {
      const ending = await this.#liveOnce(life);
      if (this.#options.library === undefined) this.#states = this.#states.slice(0, 1).map(emptied);
      this.#afterEnd(ending);
    }
    await this.#liveOnce(lastLife);
  }

  outcome(violation: string | undefined): Outcome {
    return { violation, hash: this.#hash.copy().digest('hex'), history: this.#history, counts: this.#counts };
  }

  async end(): Promise<void> {
    await this.#process?.kill();
    rmSync(this.#options.folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#options.folder, 'data');
  }

  get #log(): string {
    return join(this.#options.folder, 'calls');
  }

  async #liveOnce(life: Life): Promise<Ending> {
    let ending = await this.#start(life, this.#options.library === undefined ? [] : life.disk);
    if (ending) this.#afterEnd(ending);
    // If the process ended while it started, it is started again.
    if (ending) ending = await this.#start(life, []);
    for (const step of [{ kind: 'verify' } as const, ...life.steps]) {
      if (ending) return ending;
      if (this.#states.length > statesMax / 8) ending = await this.#verify();
      ending ??= await this.#take(step);
    }
    return ending ?? this.#finish(life);
  }

  async #start(life: Life, disk: readonly string[]): Promise<Ending | undefined> {
    const { library, process } = this.#options;
    const { durability, tableDeleteDelayMs } = this.#plan;
    this.#note(`-- start ${disk}`);
    this.#requests.forgetProcess();
    this.#states = merged(this.#states.map((state) => mapAccounts(state, (found) => ({ ...found, exports: {} }))));
    this.#hasFailed = false;
    this.#hasStaged = false;
    const place = library === undefined ? {} : { location: this.#data };
    this.#process = new SimulatedProcess(
      process,
      { ...place, seed: life.seed, durability, tableDeleteDelayMs, dateMs: startMs + life.dateMs, disk },
      library === undefined
        ? {}
        : {
            LD_PRELOAD: library,
            DISK_FAULTS_FOLDER: this.#data,
            DISK_FAULTS_SEED: String(life.seed),
            DISK_FAULTS_LOG: this.#log,
          },
    );
    return this.#endingOf(await this.#process.start());
  }

  #take(step: PlannedStep): Promise<Ending | undefined> {
    switch (step.kind) {
      case 'group':
        return this.#send(step);
      case 'verify':
        return this.#verify();
      case 'rest':
        return this.#rest(step.seed);
      case 'stepDate':
        return this.#stepDate(step.ms);
    }
  }

  async #stepDate(ms: number): Promise<undefined> {
    this.#note(`-- the date is set by ${ms} ms`);
    await this.#told({ kind: 'step', ms });
    return undefined;
  }

  async #rest(seed: number): Promise<Ending | undefined> {
    this.#note('-- rest');
    const spoken = await this.#told({ kind: 'rest', seed });
    const ending = this.#endingOf(spoken);
    if (ending || this.#hasFailed) return ending;
    const { loadedRows } = this.#requests;
    for (const [account, rows] of Object.entries(spoken.left ?? {})) {
      const loaded = loadedRows.has(account) ? loadedRows.get(account) : 0;
      if (loaded !== undefined && rows > loaded) {
        throw new Violation(`${account} has ${rows} rows of no table, ${loaded} of them of loads, and reclaims none`);
      }
    }
    return undefined;
  }

  async #send({ seed, operations, disk: planned }: Group): Promise<Ending | undefined> {
    const requests: Request[] = [];
    for (const operation of operations) {
      const request = this.#requests.of(operation);
      if (request) requests.push(request);
    }
    const disk = this.#options.library === undefined ? [] : planned;
    if (requests.length === 0 && disk.length === 0) return undefined;
    if (disk.some((text) => text.startsWith('fail'))) this.#hasFailed = true;
    if (operations.some(({ kind }) => kind === 'stageFault')) this.#hasStaged = true;
    const sent = requests.map(({ call }) => this.#sent(call));
    const spoken = await this.#told({ kind: 'send', seed, disk, requests: sent });
    const { unanswered = [] } = spoken;
    if (unanswered.length > 0) {
      const waiting = requests.filter((_, at) => unanswered.includes(sent[at]?.id ?? -1));
      throw new Violation(`never answered: ${waiting.map(({ text }) => text).join(' | ')}`);
    }
    const replies = sent.map(({ id }) => replyOf(spoken.replies.find((reply) => reply.id === id)));
    this.#note(`${disk.join(' ')}${disk.length > 0 ? ': ' : ''}${textOfGroup(requests, replies)}`);
    this.#judge(requests, replies, spoken);
    return this.#endingOf(spoken);
  }

  #judge(requests: readonly Request[], replies: readonly Reply[], spoken: Spoken): void {
    for (const { answer } of replies) this.#counts[answer] += 1;
    const steps = requests.map((request, at) => this.#stepOf(request, replies[at] as Reply));
    const states = advance(this.#states, steps, (state) => this.#remember(state));
    if (states.length === 0) {
      throw new Violation(`wrong answer: ${replies.map(({ status, text }) => `${status} ${text}`).join(' | ')}`);
    }
    if (states.length > statesMax) throw new Error('too many states: the plan has too few steps that verify');
    this.#states = states;
    if (!spoken.isCrashed) for (const [at, request] of requests.entries()) request.settle?.(replies[at] as Reply);
    this.#checkVersions(requests, replies);
  }

  #stepOf({ account, text, after, call }: Request, reply: Reply): Step {
    const { status, text: said } = reply;
    if (status >= 500 && !this.#hasFailed && !this.#hasStaged) {
      throw new Violation(`failed although nothing else did: ${text}: ${status} ${said}`);
    }
    // The control plane does not know an account that no request has used.
    const isUnknownAccount = account !== undefined && call.account === undefined && said.includes('AccountNotFound');
    const isEmpty = (state: State): boolean =>
      visibleOf(state[account ?? ''] as AccountState) === visibleOf(emptyAccount);
    if (isUnknownAccount) return { text, after: (state) => (isEmpty(state) ? [state] : []) };
    const isDelayed =
      this.#plan.tableDeleteDelayMs > 0 && reply.answer === 'refused' && said.includes('TableBeingDeleted');
    return { text, after: isDelayed ? (state) => [state] : after(reply) };
  }

  /** Checks that the versions of entities increase within each account. */
  #checkVersions(requests: readonly Request[], replies: readonly Reply[]): void {
    const before = new Map(this.#latest);
    const seen = new Set<string>();
    for (const [at, { account = '', etagsOf, text }] of requests.entries()) {
      for (const etag of etagsOf?.(replies[at] as Reply) ?? []) {
        const version = momentOf(etag);
        const name = `${account} ${version}`;
        if (seen.has(name) || version <= (before.get(account) ?? '')) {
          throw new Violation(
            `a version is given twice, or goes back: ${version} after ${before.get(account)}: ${text}`,
          );
        }
        seen.add(name);
        if (version > (this.#latest.get(account) ?? '')) this.#latest.set(account, version);
      }
    }
  }

  /** Checks that the data is in one of the states that the answers allow. */
  async #verify(): Promise<Ending | undefined> {
    const spoken = await this.#told({ kind: 'read', seed: this.#requestCount, accounts });
    if (spoken.isCrashed) return this.#endingOf(spoken);
    const found = Object.fromEntries(accounts.map((account) => [account, visibleOf(stateOf(spoken.found?.[account]))]));
    const possible = this.#states.filter((state) =>
      accounts.every((account) => visibleOf(state[account] as AccountState) === found[account]),
    );
    if (possible.length === 0) {
      const expected = this.#states
        .slice(0, 4)
        .map((state) => accounts.map((name) => visibleOf(state[name] as AccountState)));
      throw new Violation(`found    ${Object.values(found)}\nexpected ${expected.join('\nor       ')}`);
    }
    this.#note('-- verified');
    this.#states = possible;
    return undefined;
  }

  #sent({ account, method, path, headers = {}, body, isSigned = false }: WireCall): SentRequest {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const id = ++this.#requestCount;
    return {
      id,
      ...(account !== undefined && { account }),
      method,
      path,
      headers: lower,
      ...(body !== undefined && { body }),
      isSigned,
    };
  }

  async #told(command: Parameters<SimulatedProcess['tell']>[0]): Promise<Spoken> {
    const spoken = await (this.#process as SimulatedProcess).tell(command);
    this.#hash.update(JSON.stringify([command, spoken]));
    return spoken;
  }

  #endingOf({ isCrashed }: Spoken): Ending | undefined {
    if (!isCrashed) return undefined;
    this.#counts.crashes += 1;
    return this.#takeLog().includes('power lost') ? 'powerLost' : 'killed';
  }

  async #finish({ end, seed }: Life): Promise<Ending> {
    this.#note(`-- ${end}`);
    const process = this.#process as SimulatedProcess;
    const hasDisk = this.#options.library !== undefined;
    if (end === 'close') {
      const spoken = await this.#told({ kind: 'close', seed });
      const ending = this.#endingOf(spoken);
      if (ending) return ending;
      if ((await process.ended()) !== 0) throw new Violation('the process did not close well');
      this.#takeLog();
      return 'closed';
    }
    if (end === 'cut' && hasDisk) {
      await this.#told({ kind: 'send', seed, disk: [`cut ${seed}`], requests: [] });
      this.#takeLog();
      return 'powerLost';
    }
    await this.#told({ kind: 'send', seed, disk: hasDisk ? ['save'] : [], requests: [] });
    await process.kill();
    this.#takeLog();
    return 'killed';
  }

  #afterEnd(ending: Ending): void {
    this.#process = undefined;
    if (ending !== 'powerLost' || this.#plan.durability === 'power') return;
    // After a loss of power, each account may be in any earlier state.
    this.#latest.clear();
    let states: readonly State[] = [{}];
    for (const account of accounts) {
      const found = [...(this.#past.get(account)?.values() ?? [emptyAccount])];
      states = states.flatMap((state) => found.map((one) => ({ ...state, [account]: one })));
      if (states.length > statesMax * 200) throw new Error('too many states after a loss of power');
    }
    this.#states = states;
  }

  /** The calls on files since the last call of this method. */
  #takeLog(): string {
    if (!existsSync(this.#log)) return '';
    const text = readFileSync(this.#log, 'utf8');
    rmSync(this.#log);
    this.#hash.update(text);
    return text;
  }

  #remember(state: State): void {
    if (this.#plan.durability === 'power') return;
    for (const account of accounts) {
      const found = { ...(state[account] as AccountState), exports: {} };
      const past = this.#past.get(account) ?? new Map<string, AccountState>();
      past.set(JSON.stringify(found), found);
      this.#past.set(account, past);
    }
  }

  #note(text: string): void {
    this.#history.push(text);
  }
}

function emptied(state: State): State {
  return mapAccounts(state, () => emptyAccount);
}

const merged = (states: readonly State[]): readonly State[] =>
  advance(states, [{ text: '', after: changes('done', (state) => state) }]);

interface StagedReply extends Reply {
  readonly isStaged: boolean;
}

function replyOf(sent: SentReply | undefined): StagedReply {
  if (!sent) return { answer: 'unknown', status: 0, text: 'no answer', isStaged: false };
  const { status, body: text, etag, staged } = sent;
  const isStaged = staged !== undefined;
  return { answer: answerOf(status, text, isStaged), status, text, ...(etag !== undefined && { etag }), isStaged };
}

function answerOf(status: number, text: string, isStaged: boolean): Reply['answer'] {
  if (status === 0) return 'unknown';
  if (status < 300) return 'done';
  if (status < 500) return 'refused';
  return isStaged && text.includes('ServerBusy') ? 'notDone' : 'unknown';
}

function stateOf(found: FoundAccount | undefined): AccountState {
  if (!found) return emptyAccount;
  const tables: Record<string, TableState> = {};
  for (const { name, rows, policies } of found.tables) {
    const { value } = JSON.parse(textRead(rows)) as { value: KeyedRow[] };
    tables[name] = { policy: /<Id>(.*?)<\/Id>/.exec(textRead(policies))?.[1] ?? '', rows: rowsOf(value) };
  }
  const age = Number(/<MaxAgeInSeconds>(\d+)/.exec(textRead(found.settings))?.[1] ?? 0);
  return {
    tables,
    age,
    snapshots: Object.fromEntries(found.snapshots.map((name) => [name, { tables: {} }])),
    exports: {},
  };
}

function textRead({ status, body }: SentReply): string {
  if (status !== 200) throw new Violation(`what was read is answered ${status}: ${body}`);
  return body;
}

const textOfGroup = (requests: readonly Request[], replies: readonly Reply[]): string =>
  requests.map(({ text }, at) => `${text}: ${replies[at]?.status}`).join(' | ');

/** The moment in an ETag such as `W/"datetime'2026-01-01T00%3A00%3A00.12Z'"`, with all digits of its fraction. */
function momentOf(etag: string): string {
  const [, seconds = '', fraction = ''] = /datetime'(.*?)(?:\.(\d+))?Z'/.exec(decodeURIComponent(etag)) ?? [];
  return `${seconds}.${fraction.padEnd(7, '0')}`;
}
