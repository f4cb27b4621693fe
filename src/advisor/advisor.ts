// The advisor judges an application by its requests. After each response, the advisor gets the record of the request.
// The advisor keeps a bounded number of records: the window. When the window is full or a report is requested, the
// rules judge the window, one rule at a time. The advisor also counts loads, connections and the order of keys, and
// these counts include all requests. The advisor does not know the server or the store, and no request waits for the
// advisor.

import type { KeyPattern } from '../model/key-pattern.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Clock, MachineTime } from '../model/time.ts';
import type { AdvisorRules } from './advisor-rules.ts';
import { Findings, isoTime } from './findings.ts';
import { keyPatternOf } from './key-patterns.ts';
import type { Observation, Table } from './observation.ts';
import { Observer } from './observe.ts';
import { RecentQueries, type RecentQuery } from './recent-queries.ts';
import {
  type AdvisorReport,
  covers,
  type Finding,
  type ReportOptions,
  type TableUse,
  withoutIgnored,
} from './report.ts';
import { SecondLoads, type Seconds } from './second-loads.ts';
import { thinOut, totalWeight, weightOf } from './thin-out.ts';
import type { RuleId } from './thresholds.ts';
import { type ClientUse, countRequests, inOrder, type RateTargets, Window } from './window.ts';

/** The most requests in a window. Requests inside a transaction count too. */
const windowRequestsMax = 4_096;
/** The pause after each rule is this many times as long as the rule took. */
const restPerWork = 120;

export interface AdvisorTools {
  readonly settings: AdvisorRules;
  readonly targets: RateTargets;
  readonly clock: Clock;
  readonly time: MachineTime;
  /** Returns the bytes that a table's entities take, or null if there are too many entities to measure. */
  readonly storedBytes: (account: string, table: string) => Promise<number | null>;
}

type Verdict = import('./judge.ts').Verdict;
type Rule = import('./rule.ts').Rule;
type Judge = typeof import('./judge.ts');

/** A full window, and the index of the rule that judges it next. */
interface Judged {
  readonly window: Window;
  next: number;
}

/** What is counted for all requests while a window fills, whether the window keeps them or not. */
interface Counted {
  readonly uses: readonly ClientUse[];
  readonly seconds: Seconds;
}

/** The findings in the requests of one trace. */
export interface TraceVerdict {
  readonly traceId: string;
  /** How many requests of the trace are still kept. */
  readonly requests: number;
  readonly findings: readonly Finding[];
}

export class Advisor {
  readonly #tools: AdvisorTools;
  readonly #observer = new Observer();
  readonly #findings = new Findings();
  readonly #occasions = new Set<RuleId>();
  /** The full window that the rules are judging. Undefined if there is none. */
  #judged: Judged | undefined;
  #current: Observation[] = [];
  #weight = 0;
  /** The number of requests that no rule judged. */
  #leftOut = 0;
  /**
   * The write operations of each table that the advisor only counts, because the current window already contains enough
   * of their requests.
   */
  readonly #muted = new Map<Table | undefined, Set<string>>();
  readonly #loads: SecondLoads;
  readonly #recent = new RecentQueries();
  #fromMs: number;
  #judge: Judge | undefined;
  #isJudging = false;

  constructor(tools: AdvisorTools) {
    this.#tools = tools;
    this.#fromMs = tools.clock.nowMs();
    this.#loads = new SecondLoads(tools.targets.partition);
  }

  /**
   * Observes an answered request, but keeps no part of the body. If requests come faster than the rules can judge them,
   * the advisor removes requests of the most frequent kind from the window. If this kind is a write, the current window
   * accepts no further writes of this kind, and the advisor only counts them.
   */
  observe(record: RequestRecord): void {
    const observation = this.#observer.observe(record, this.#isMuted);
    if (!observation) return;
    if (!('staged' in observation) || observation.staged === undefined) this.#loads.add(observation);
    if (!('sequence' in observation)) {
      this.#leftOut++;
      return;
    }
    this.#current.push(observation);
    this.#weight += weightOf(observation);
    if (this.#weight < windowRequestsMax) return;
    if (this.#judged) this.#thinOut();
    else this.#closeWindow();
  }

  /** Switches and thresholds of the rules. */
  get settings(): AdvisorRules {
    return this.#tools.settings;
  }

  /** The pattern of a table's keys, or null if there are too few keys to tell. This call is cheap. */
  keyPattern(account: string, table: string): KeyPattern | null {
    const known = this.#observer.tables.find(account, table);
    return known ? keyPatternOf(known, this.#tools.settings) : null;
  }

  /** The queries and reads of a table in the current window and the one before it. */
  recentQueries(account: string, table: string): readonly RecentQuery[] {
    return this.#recent.of({ account, table }, [...(this.#judged?.window.all ?? []), ...this.#current]);
  }

  /** The findings of the given rules, without accepted findings. */
  async findingsOf(rules: readonly RuleId[]): Promise<readonly Finding[]> {
    const judge = await this.#load();
    const { settings } = this.#tools;
    const { findings } = this.#judgeOpen(
      judge,
      judge.rulesOf(settings).filter(({ id }) => rules.includes(id)),
    );
    return this.#withoutAccepted(findings);
  }

  #withoutAccepted(findings: Findings): readonly Finding[] {
    const ignores = this.#tools.settings.ignore ?? [];
    const raised = findings.raised({ redactsValues: false });
    return raised.filter((finding) => !ignores.some((ignore) => covers(ignore, finding)));
  }

  /**
   * Applies the rules to the requests of one trace, and returns the findings. Considers only the requests that the
   * advisor still keeps: the requests in the current window, and the requests in the window that is being judged.
   * Leaves out accepted findings.
   */
  async findingsOfTrace(traceId: string): Promise<TraceVerdict> {
    const judge = await this.#load();
    const { settings } = this.#tools;
    const kept = [...(this.#judged?.window.attempts ?? []), ...this.#current];
    const own = kept.filter((by) => by.traceId === traceId);
    const window = this.#windowOf(own, { uses: [], seconds: { before: [], now: [] } });
    const verdict = { findings: new Findings(), occasions: new Set<RuleId>(), settings };
    for (const rule of judge.rulesOf(settings)) if (!rule.isOfNow) judge.judge(rule, window, verdict);
    return { traceId, requests: countRequests(own), findings: this.#withoutAccepted(verdict.findings) };
  }

  /** The rules' report on the requests since the start or the last `clear`. */
  async report({ redactsValues = false }: ReportOptions = {}): Promise<AdvisorReport> {
    const judge = await this.#load();
    while (this.#judged) this.#judgeOne(judge, this.#judged);
    const { settings, clock } = this.#tools;
    const verdict = this.#judgeOpen(judge, judge.rulesOf(settings));
    const raised = verdict.findings.raised({ redactsValues });
    const report = {
      from: isoTime(this.#fromMs),
      to: isoTime(clock.nowMs()),
      requests: this.#observer.requests,
      notJudged: this.#leftOut,
      findings: raised,
      ignored: [],
      checklist: judge.checklistOf(raised, verdict),
      tables: await this.#tables(),
    };
    return withoutIgnored(report, settings.ignore ?? []);
  }

  /** Removes all requests and findings. */
  clear(): void {
    this.#leftOut = 0;
    this.#loads.clear();
    this.#observer.clear();
    this.#findings.clear();
    this.#occasions.clear();
    this.#judged = undefined;
    this.#recent.clear();
    this.#begin([]);
    this.#fromMs = this.#tools.clock.nowMs();
  }

  /** Removes the requests and findings of an account or a table that was reset. */
  forget(account: string, table?: string): void {
    const lookup = table?.toLowerCase();
    const isOther = (by: Observation): boolean =>
      by.account !== account || (lookup !== undefined && by.table?.name.toLowerCase() !== lookup);
    this.#observer.forget(account, table);
    this.#findings.forget(account, table);
    if (table === undefined) this.#loads.forget(account);
    this.#recent.forget(account, table);
    this.#begin(this.#current.filter(isOther));
    if (!this.#judged) return;
    const { window, next } = this.#judged;
    const isKept = (one: { readonly account: string }): boolean => table !== undefined || one.account !== account;
    const { before, now } = window.seconds;
    const seconds = { before: before.filter(isKept), now: now.filter(isKept) };
    const uses = window.uses.filter(({ client }) => isKept(client));
    this.#judged = { window: this.#windowOf(window.all.filter(isOther), { uses, seconds }), next };
  }

  #begin(observations: Observation[]): void {
    this.#current = observations;
    this.#weight = totalWeight(observations);
    this.#muted.clear();
    this.#observer.beginWindow();
  }

  readonly #isMuted = (operation: string, table: Table | undefined): boolean =>
    this.#muted.size > 0 && this.#muted.get(table)?.has(operation) === true;

  #thinOut(): void {
    const { kept, writes } = thinOut(this.#current, windowRequestsMax / 2);
    for (const { operation, table } of writes) {
      this.#muted.set(table, (this.#muted.get(table) ?? new Set()).add(operation));
    }
    this.#leftOut += countRequests(this.#current) - countRequests(kept);
    this.#current = kept;
    this.#weight = totalWeight(kept);
  }

  /**
   * Returns the findings so far, including the findings in the current window. Does not close the window, because later
   * requests may belong to sequences that began in this window.
   */
  #judgeOpen(judge: Judge, rules: readonly Rule[]): Verdict {
    const { settings } = this.#tools;
    const verdict = { findings: this.#findings.copy(), occasions: new Set(this.#occasions), settings };
    const counted = { uses: this.#observer.clients.uses({ isOver: false }), seconds: this.#loads.peek() };
    const window = this.#windowOf(this.#current, counted);
    for (const rule of rules) judge.judge(rule, window, verdict);
    return verdict;
  }

  #closeWindow(): void {
    const counted = { uses: this.#observer.clients.uses({ isOver: true }), seconds: this.#loads.take() };
    this.#judged = { window: this.#windowOf(this.#current, counted), next: 0 };
    this.#begin([]);
    if (this.#isJudging) return;
    this.#isJudging = true;
    this.#load().then(
      (judge) => this.#judgeSlice(judge),
      // The rules cannot be loaded, for example because no file descriptor is free. The window is dropped.
      () => {
        this.#isJudging = false;
        this.#leftOut += countRequests(this.#judged?.window.all ?? []);
        this.#judged = undefined;
      },
    );
  }

  #windowOf(observations: readonly Observation[], counted: Counted): Window {
    const { targets, time } = this.#tools;
    const all = [...observations].sort(inOrder);
    return new Window(all, { ...counted, tables: this.#observer.tables.all(), targets, nowMs: time.monotonicMs() });
  }

  /** Runs one rule, then pauses long enough that judging takes a small share of the time. */
  #judgeSlice(judge: Judge): void {
    const { time } = this.#tools;
    const startMs = time.monotonicMs();
    if (this.#judged) this.#judgeOne(judge, this.#judged);
    this.#isJudging = this.#judged !== undefined;
    if (this.#isJudging) time.after((time.monotonicMs() - startMs) * restPerWork, () => this.#judgeSlice(judge));
  }

  #judgeOne(judge: Judge, judged: Judged): void {
    const { settings } = this.#tools;
    const rules = judge.rulesOf(settings);
    const rule = rules[judged.next++];
    const verdict = { findings: this.#findings, occasions: this.#occasions, settings };
    if (rule && !rule.isOfNow) judge.judge(rule, judged.window, verdict);
    if (judged.next < rules.length) return;
    this.#judged = undefined;
    this.#recent.keep(judged.window.all);
    // Close the current window if it is full. Also close a window that was thinned out, because such a window accepts
    // no further writes of some kinds.
    if (this.#weight >= windowRequestsMax || this.#muted.size > 0) this.#closeWindow();
  }

  async #load(): Promise<Judge> {
    this.#judge ??= await import('./judge.ts');
    return this.#judge;
  }

  async #tables(): Promise<TableUse[]> {
    const used = this.#observer.tables.all().filter(({ billable, units }) => billable > 0 || units > 0);
    const sorted = used.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const uses: TableUse[] = [];
    for (const { account, name, billable: billableTransactions, units } of sorted) {
      const storedBytes = name === '' ? null : await this.#tools.storedBytes(account, name);
      uses.push({ account, table: name || null, billableTransactions, units, storedBytes });
    }
    return uses;
  }
}

const nameOf = ({ account, name }: Table): string => `${account}/${name}`;
