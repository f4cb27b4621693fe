// Several writers that share one ledger. The writers send requests to a server. After the server has ended, the ledger
// is compared with the stored entities.

import { JsonClient } from '../support/json-client.mjs';
import { Random } from '../support/random.mjs';
import { Ledger } from './ledger.mjs';
import { Writer } from './writer.mjs';

const table = 'Crash';

export class Fleet {
  #ledger = new Ledger();
  #writers;

  constructor({ seed, writers = 8, keys = 150 }) {
    this.#writers = Array.from({ length: writers }, (_, index) => {
      const random = new Random(seed * 31 + index);
      return new Writer({ name: `writer${index}`, keys, table, random, ledger: this.#ledger });
    });
  }

  get acknowledged() {
    return this.#ledger.acknowledged;
  }

  get transactions() {
    const { transactions, interrupted } = this.#ledger;
    return { ...transactions, ...interrupted };
  }

  get violations() {
    return this.#ledger.violations;
  }

  /** Starts all writers. On stop(), they end after their request in progress; they also end when the server ends. */
  async start(url) {
    let isStopped = false;
    const client = new JsonClient(url, this.#writers.length);
    await client.createTable(table);
    const running = this.#writers.map((writer) => writer.run(client, () => isStopped));
    const ended = Promise.all(running).then(() => client.close());
    return {
      ended,
      stop() {
        isStopped = true;
        return ended;
      },
    };
  }

  /** Reads all entities and compares them with the ledger. */
  async verify(url) {
    const client = new JsonClient(url);
    try {
      this.#ledger.compare(await client.readAll(table));
    } finally {
      await client.close();
    }
  }
}
