// Keeps the last requests of the application, for an assistant that asks about them. When a request ends, its record is
// copied, because the record itself must not be kept. If requests arrive faster than anyone can read, some of them are
// left out, so a load test costs little.

import { cutMiddle } from '../../model/printable-text.ts';
import { isOfTool, type RequestRecord } from '../../model/request-record.ts';
import { isNoteworthy, summarizeRequest, withoutSignature } from '../../model/summarize-request.ts';
import type { RecentReader, WantedRequests } from './tool-context.ts';

/** How many requests are kept. Succeeded requests cannot take the places of refused requests. */
const keptMax = { succeeded: 500, refused: 200 };
/** How many requests are copied at most: in a burst, and per second on average. */
const burst = { succeeded: 2_000, refused: 500 };
const perSecond = { succeeded: 200, refused: 50 };
/** Maximum number of characters of a filter, a key or an address. */
const textCharsMax = 2_048;

type Kind = keyof typeof keptMax;

interface KeptRequest {
  readonly number: number;
  /** The request as JSON. */
  readonly text: string;
}

interface Summary {
  readonly requestId: string;
  readonly clientRequestId?: string;
  readonly account: string;
  readonly table?: string;
}

export class RecentRequests implements RecentReader {
  readonly sinceAt: string;
  dropped = 0;
  #count = 0;
  readonly #kept: Record<Kind, KeptRequest[]> = { succeeded: [], refused: [] };
  readonly #left = { ...burst };
  #filledMs: number;

  constructor({ nowMs, monotonicMs }: { readonly nowMs: number; readonly monotonicMs: number }) {
    this.sinceAt = new Date(nowMs).toISOString();
    this.#filledMs = monotonicMs;
  }

  add(record: RequestRecord): void {
    if (isOfTool(record)) return;
    this.#refill(record.startedMs + record.durationMs);
    const kind: Kind = isNoteworthy(record) ? 'refused' : 'succeeded';
    if (this.#left[kind] < 1) {
      this.dropped += 1;
      return;
    }
    this.#left[kind] -= 1;
    const kept = this.#kept[kind];
    kept.push({ number: this.#count++, text: JSON.stringify(summaryOf(record)) });
    if (kept.length <= keptMax[kind]) return;
    kept.shift();
    this.dropped += 1;
  }

  list({ account, table, refusedOnly = false, limit }: WantedRequests): readonly object[] {
    const wanted = table?.toLowerCase();
    const found: object[] = [];
    for (const { text } of this.#newestFirst(refusedOnly ? ['refused'] : ['succeeded', 'refused'])) {
      const one = JSON.parse(text) as Summary;
      if (account !== undefined && one.account !== account) continue;
      if (wanted !== undefined && one.table?.toLowerCase() !== wanted) continue;
      found.push(one);
      if (found.length === limit) break;
    }
    return found;
  }

  find(id: string): object | undefined {
    const quoted = JSON.stringify(id);
    for (const { text } of this.#newestFirst(['refused', 'succeeded'])) {
      if (!text.includes(quoted)) continue;
      const one = JSON.parse(text) as Summary;
      if (one.requestId === id || one.clientRequestId === id) return one;
    }
    return undefined;
  }

  lastRefused(): object | undefined {
    const last = this.#kept.refused.at(-1);
    return last && (JSON.parse(last.text) as object);
  }

  #newestFirst(kinds: readonly Kind[]): readonly KeptRequest[] {
    return kinds.flatMap((kind) => this.#kept[kind]).sort((a, b) => b.number - a.number);
  }

  #refill(nowMs: number): void {
    const seconds = Math.max(0, nowMs - this.#filledMs) / 1000;
    this.#filledMs = Math.max(nowMs, this.#filledMs);
    for (const kind of ['succeeded', 'refused'] as const) {
      this.#left[kind] = Math.min(burst[kind], this.#left[kind] + perSecond[kind] * seconds);
    }
  }
}

function summaryOf(record: RequestRecord): object {
  const { method, url, startedAtMs, credential, version, userAgent, refusal, capacity, members } = record;
  const report = Object.fromEntries(
    Object.entries(summarizeRequest(record)).map(([name, value]) => [
      name,
      typeof value === 'string' ? cutMiddle(value, textCharsMax) : value,
    ]),
  );
  const tables = [...new Set(members.flatMap(({ table }) => table ?? []))];
  return {
    at: new Date(startedAtMs).toISOString(),
    ...report,
    ...(tables.length === 1 && { table: tables[0] }),
    method,
    url: cutMiddle(withoutSignature(url), textCharsMax),
    credential,
    ...(version !== undefined && { version }),
    ...(userAgent !== undefined && { userAgent: cutMiddle(userAgent, textCharsMax) }),
    ...(refusal && { stage: refusal.stage, message: refusal.message }),
    ...(capacity && { capacity: capacity.outcome }),
  };
}
