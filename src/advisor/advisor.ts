// The advisor judges an application by the requests it sends. It sees the record of each request after the response is sent,
// keeps a bounded window of them, and lets the rules judge the window when it is full, a rule at a time, or when a report is
// asked for. It knows no server and no store, and nothing waits for it.

import type { RequestRecord } from '../model/request-record.ts';
import type { Clock, MachineTime } from '../model/time.ts';
import type { AdvisorRules } from './advisor-rules.ts';
import { Findings, isoTime } from './findings.ts';
import type { Observation, Table } from './observation.ts';
import { Observer } from './observe.ts';
import { type AdvisorReport, type ReportOptions, type TableUse, withoutIgnored } from './report.ts';
import { noteKeys } from './tables.ts';
import type { RuleId } from './thresholds.ts';
import { inOrder, type Targets, Window } from './window.ts';

/** Requests in a window; those inside a transaction count too. */
const windowRequestsMax = 4_096;
/** After a rule, requests have the processor for this many times as long as the rule took. */
const restPerWork = 60;

export interface AdvisorTools {
  readonly settings: AdvisorRules;
  readonly targets: Targets;
  readonly clock: Clock;
  readonly time: MachineTime;
  /** Bytes that a table's entities take; null if they are too many to be measured. */
  readonly storedBytes: (account: string, table: string) => Promise<number | null>;
}

type Judge = typeof import('./judge.ts');

/** A full window, and the next rule that is to judge it. */
interface Judged {
  readonly window: Window;
  next: number;
}

export class Advisor {
  readonly #tools: AdvisorTools;
  readonly #observer = new Observer();
  readonly #findings = new Findings();
  readonly #occasions = new Set<RuleId>();
  /** The window that the rules judge. */
  #judged: Judged | undefined;
  #current: Observation[] = [];
  #weight = 0;
  #fromMs: number;
  #judge: Judge | undefined;
  #isJudging = false;

  constructor(tools: AdvisorTools) {
    this.#tools = tools;
    this.#fromMs = tools.clock.nowMs();
  }

  /**
   * Looks at a request that was answered. Keeps no part of its body. While requests come faster than the rules judge them,
   * those between two windows are only counted.
   */
  note(record: RequestRecord): void {
    if (this.#weight >= windowRequestsMax) {
      this.#observer.count(record);
      return;
    }
    const observation = this.#observer.observe(record);
    if (!observation) return;
    this.#current.push(observation);
    this.#weight += 1 + observation.members.length;
    if (this.#weight >= windowRequestsMax && !this.#judged) this.#closeWindow();
  }

  /** What the rules have to say of the requests since the start or the last `clear`. */
  async report({ redactsValues = false }: ReportOptions = {}): Promise<AdvisorReport> {
    const judge = await this.#load();
    while (this.#judged) this.#judgeOne(judge, this.#judged);
    const { settings, clock } = this.#tools;
    // Requests to come may belong to the same sequences, so the current window stays open.
    const findings = this.#findings.copy();
    const verdict = { findings, occasions: new Set(this.#occasions), settings };
    const window = this.#windowOf(this.#current);
    for (const rule of judge.rulesOf(settings)) judge.judge(rule, window, verdict);
    const raised = findings.raised({ redactsValues });
    const report = {
      from: isoTime(this.#fromMs),
      to: isoTime(clock.nowMs()),
      requests: this.#observer.requests,
      findings: raised,
      ignored: [],
      checklist: judge.checklistOf(raised, verdict),
      tables: await this.#tables(),
    };
    return withoutIgnored(report, settings.ignore ?? []);
  }

  /** Begins anew. */
  clear(): void {
    this.#observer.clear();
    this.#findings.clear();
    this.#occasions.clear();
    this.#judged = undefined;
    this.#begin([]);
    this.#fromMs = this.#tools.clock.nowMs();
  }

  /** Forgets an account or a table that was reset. */
  forget(account: string, table?: string): void {
    const lookup = table?.toLowerCase();
    const isOther = (by: Observation): boolean =>
      by.account !== account || (lookup !== undefined && by.table?.name.toLowerCase() !== lookup);
    this.#observer.forget(account, table);
    this.#findings.forget(account, table);
    this.#begin(this.#current.filter(isOther));
    if (!this.#judged) return;
    const { window, next } = this.#judged;
    this.#judged = { window: this.#windowOf(window.all.filter(isOther)), next };
  }

  #begin(observations: Observation[]): void {
    this.#current = observations;
    this.#weight = observations.reduce((sum, { members }) => sum + 1 + members.length, 0);
    this.#observer.beginWindow();
  }

  #closeWindow(): void {
    this.#judged = { window: this.#windowOf(this.#current), next: 0 };
    this.#begin([]);
    if (this.#isJudging) return;
    this.#isJudging = true;
    this.#load().then(
      (judge) => this.#judgeSlice(judge),
      // The rules cannot be read, for example without a free file descriptor: the window is lost.
      () => {
        this.#isJudging = false;
        this.#judged = undefined;
      },
    );
  }

  #windowOf(observations: readonly Observation[]): Window {
    const { targets, time } = this.#tools;
    const all = [...observations].sort(inOrder);
    return new Window(all, { tables: this.#observer.tables.all(), targets, nowMs: time.monotonicMs() });
  }

  /** One rule, then requests have their turn, for long enough that judging takes a small share of the time. */
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
    noteKeys(judged.window.written);
    if (this.#weight >= windowRequestsMax) this.#closeWindow();
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
