import type { RequestRecord } from '../model/request-record.ts';
import type { HttpResponse } from './http-message.ts';

/** The most continuations kept. Beyond that, the oldest is dropped. */
const pagesMax = 1_000;

/**
 * The continuations of pages that a fault emptied. If a rule would empty every page, it leaves the page after an
 * emptied page as it is. Otherwise such a rule would return the same empty page each time, and a correct program would
 * never finish.
 */
export class EmptyPages {
  readonly #continuations = new Set<string>();

  /** Keeps the continuation of an empty page. */
  note({ account, table = '' }: RequestRecord, { headers }: HttpResponse): void {
    const valueIn = (name: string): string =>
      headers.find(([header]) => header === `x-ms-continuation-${name}`)?.[1] ?? '';
    const [oldest] = this.#continuations;
    if (this.#continuations.size >= pagesMax && oldest !== undefined) this.#continuations.delete(oldest);
    this.#continuations.add(keyOf({ account, table }, valueIn));
  }

  /** Whether a request asks for the page after an emptied one; called once per request. */
  takeFollower({ account, table = '', url, followsContinuation }: RequestRecord): boolean {
    if (!followsContinuation || this.#continuations.size === 0) return false;
    const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
    return this.#continuations.delete(keyOf({ account, table }, (name) => query.get(name) ?? ''));
  }
}

function keyOf(of: { account: string; table: string }, valueIn: (name: string) => string): string {
  return [of.account, of.table.toLowerCase(), valueIn('NextPartitionKey'), valueIn('NextRowKey')].join('\0');
}
