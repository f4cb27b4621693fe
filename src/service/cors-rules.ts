import type { CorsRule } from '../model/service-properties.ts';
import { getTableServiceProperties } from '../operations/table-service-properties.ts';
import { corsHeaders } from '../protocol/cors.ts';
import type { Store } from '../storage/store.ts';
import { type HttpRequest, type HttpResponse, headerOf } from './http-message.ts';

/** The request that a response answers. */
export interface CorsRequest {
  readonly call: HttpRequest;
  readonly account: string;
  readonly isServiceLevel: boolean;
}

/** Caches the CORS rules of accounts: every response depends on them, and they rarely change. */
export class CorsRules {
  readonly #store: Store;
  readonly #remembered = new Map<string, readonly CorsRule[]>();
  /** Counts the changes of any account's rules. */
  #changes = 0;

  constructor(store: Store) {
    this.#store = store;
    store.onChange((account) => {
      this.#changes += 1;
      if (account === undefined) this.#remembered.clear();
      else this.#remembered.delete(account);
    });
  }

  /** Returns the rules of an account, synchronously if they are cached. */
  of(account: string): readonly CorsRule[] | Promise<readonly CorsRule[]> {
    return this.#remembered.get(account) ?? this.#read(account);
  }

  /** Adds the CORS headers to a response. Without stored rules, it adds none. */
  async addTo(response: HttpResponse, target: CorsRequest): Promise<HttpResponse> {
    if (target.call.method === 'OPTIONS') return response;
    return withCorsHeaders(response, await this.of(target.account), target);
  }

  async #read(account: string): Promise<readonly CorsRule[]> {
    const changes = this.#changes;
    // Asking for the rules of an unused account must not create its data.
    if (!(await this.#store.exists(account))) return noRules;
    const { cors } = await getTableServiceProperties(this.#store.account(account));
    if (this.#remembered.size >= rememberedAccountsMax) this.#remembered.clear();
    // Rules that were read during a change may be out of date.
    if (changes === this.#changes && this.#store.hearsChanges) this.#remembered.set(account, cors);
    return cors;
  }
}

function withCorsHeaders(
  response: HttpResponse,
  rules: readonly CorsRule[],
  { call: { method, headers }, isServiceLevel }: CorsRequest,
): HttpResponse {
  if (rules.length === 0) return response;
  const names = response.headers.map(([name]) => name);
  // Evidence: recorded: operations on the service itself do not expose their Content-Type.
  const responseHeaderNames = isServiceLevel ? names.filter((name) => name !== 'Content-Type') : names;
  const added = corsHeaders(rules, { origin: headerOf(headers, 'origin'), method, responseHeaderNames });
  return added.length === 0 ? response : { ...response, headers: [...response.headers, ...added] };
}

/** Bounds memory: with `--accounts any` there may be many accounts. */
const rememberedAccountsMax = 10_000;

const noRules: readonly CorsRule[] = [];
