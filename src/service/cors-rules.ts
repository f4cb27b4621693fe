import type { CorsRule } from '../model/service-properties.ts';
import { getTableServiceProperties } from '../operations/get-table-service-properties.ts';
import { corsHeaders } from '../protocol/cors.ts';
import type { Store } from '../storage/store.ts';
import { type HttpRequest, type HttpResponse, headerOf } from './http-message.ts';

/** What an answer is to. */
export interface Asked {
  readonly call: HttpRequest;
  readonly account: string;
  readonly isServiceLevel: boolean;
}

/** The CORS rules of accounts, remembered: every answer depends on them, and next to never do they change. */
export class CorsRules {
  readonly #store: Store;
  readonly #remembered = new Map<string, readonly CorsRule[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Without a wait where they are remembered. */
  of(account: string): readonly CorsRule[] | Promise<readonly CorsRule[]> {
    return this.#remembered.get(account) ?? this.#read(account);
  }

  /** They were changed. */
  forget(account: string): void {
    this.#remembered.delete(account);
  }

  /** Adds what browsers of other origins are told; nothing, in next to no time, where no rules are stored. */
  async addTo(
    answer: HttpResponse,
    { call: { method, headers }, account, isServiceLevel }: Asked,
  ): Promise<HttpResponse> {
    if (method === 'OPTIONS') return answer;
    const rules = await this.of(account);
    if (rules.length === 0) return answer;
    const names = answer.headers.map(([name]) => name);
    // Evidence: recorded: operations on the service itself do not count their Content-Type among what is exposed.
    const responseHeaderNames = isServiceLevel ? names.filter((name) => name !== 'Content-Type') : names;
    const added = corsHeaders(rules, { origin: headerOf(headers, 'origin'), method, responseHeaderNames });
    return added.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...added] };
  }

  async #read(account: string): Promise<readonly CorsRule[]> {
    // An account that was never used has no rules, and gets no data by being asked for them.
    const store = this.#store.find(account);
    if (!store) return noRules;
    const { cors } = await getTableServiceProperties(store);
    this.#remembered.set(account, cors);
    return cors;
  }
}

const noRules: readonly CorsRule[] = [];
