import { defaultEmulatorSettings, type RunningEmulator, runEmulator } from '../../src/emulator.ts';
import type { Mutation } from '../../src/model/mutation.ts';
import type { AccountStore, OpenStore, Store } from '../../src/storage/store.ts';
import type { Node } from './rig.mjs';

/** A node in this process with a faulty store: it compares ETags before the transaction, without a lock. */
export class CarelessNode implements Node {
  readonly #emulator: Promise<RunningEmulator>;

  constructor(store: string) {
    this.#emulator = runEmulator({ ...defaultEmulatorSettings, port: 0, advisor: false, store, openStore });
    this.#emulator.catch(() => undefined);
  }

  async ready(): Promise<string> {
    return (await this.#emulator).url;
  }

  signal(): void {}

  kill(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    await this.#emulator.then((emulator) => emulator.close()).catch(() => undefined);
  }
}

const openStore: OpenStore = async (options) => withoutLocks(await defaultEmulatorSettings.openStore(options));

function withoutLocks(store: Store): Store {
  const account = store.account.bind(store);
  return Object.assign(store, { account: (name: string) => careless(account(name)) });
}

function careless(account: AccountStore): AccountStore {
  return new Proxy(account, {
    get(target, name: keyof AccountStore) {
      if (name === 'apply') return (...call: Parameters<AccountStore['apply']>) => applyCarelessly(target, ...call);
      const method = target[name];
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}

async function applyCarelessly(
  account: AccountStore,
  table: string,
  mutations: readonly Mutation[],
): ReturnType<AccountStore['apply']> {
  for (const [failedAt, mutation] of mutations.entries()) {
    if (!('ifMatch' in mutation) || mutation.ifMatch.kind === 'any') continue;
    const found = await account.get(table, mutation);
    const { since } = mutation.ifMatch;
    if (found.kind === 'found' && found.entity.timestamp !== since) return { kind: 'stale', failedAt };
  }
  return account.apply(table, mutations.map(unconditional));
}

const unconditional = (mutation: Mutation): Mutation =>
  'ifMatch' in mutation ? { ...mutation, ifMatch: { kind: 'any' } } : mutation;
