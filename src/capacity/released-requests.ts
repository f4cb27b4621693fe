/** Requests that have waited for capacity and are now being carried out or refused, until they are answered. */
export class ReleasedRequests {
  readonly #underWay = new Map<object, (() => void)[]>();

  add(request: object): void {
    this.#underWay.set(request, []);
  }

  /** Must be called when the response to any request is handed over, even if the request did not wait. */
  recordAnswered(request: object): void {
    if (this.#underWay.size === 0) return;
    const listeners = this.#underWay.get(request) ?? [];
    this.#underWay.delete(request);
    for (const tell of listeners) tell();
  }

  /** Resolves when the requests that are now in progress are answered. */
  async whenAnswered(): Promise<void> {
    const answers = [...this.#underWay.values()];
    await Promise.all(answers.map((listeners) => new Promise<void>((resolve) => void listeners.push(resolve))));
  }
}
