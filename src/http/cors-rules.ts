import type { CorsRule } from '../model/service-properties.ts';
import { getTableServiceProperties } from '../operations/get-table-service-properties.ts';
import type { Store } from '../storage/store.ts';

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
