import type { RequestRecord } from '../model/request-record.ts';

export interface FeedListener {
  /** Gets each request once it is answered. It must be quick, and must not keep any part of the record. */
  readonly onRequest: (record: RequestRecord) => void;
  /** Runs when the emulator begins to close. */
  readonly onClose: () => void;
}

/** Passes answered requests on to the current listeners. Without a listener a request costs one comparison. */
export class RequestFeed {
  readonly #listeners = new Set<FeedListener>();

  publish(record: RequestRecord): void {
    if (this.#listeners.size === 0) return;
    for (const { onRequest } of this.#listeners) onRequest(record);
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells all listeners that the emulator closes. */
  close(): void {
    for (const { onClose } of [...this.#listeners]) onClose();
    this.#listeners.clear();
  }
}
