/** The calls in progress. After `close` begins, new calls reject, and calls in progress complete. */
export class Operations {
  #underWay = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'));
    this.#underWay += 1;
    const running = work();
    const end = (): void => this.#end();
    running.then(end, end);
    return running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#onIdle?.();
  }
}
