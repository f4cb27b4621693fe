// Checks whether the history of one register is linearisable: each operation must take effect at one moment between its
// call and its return, so that every response is right. An operation with an unknown outcome may take effect at any
// moment after its call, or never. The search is that of Wing and Gong: it tries every operation that may come next,
// and skips states that it has visited. Two rules keep the search short. If an operation fits and changes nothing, the
// search takes it immediately, because the operation cannot fit better later. If several operations are lost and no
// response shows their effects, the search tries only the first of them.

/** No history of the checker needs more steps. A history that needs more counts as a violation. */
const stepsMax = 2_000_000;

/**
 * Returns a sentence that says what contradicts the history, or undefined if the history is linearisable. An operation
 * is `{ text, calledAt, returnedAt, next }`. `next(state)` returns the state after the operation, or undefined if the
 * response of the operation is impossible in `state`. An operation without `returnedAt` has an unknown outcome. States
 * are strings or null.
 */
export function findContradiction(operations, initial) {
  const known = operations.filter(({ returnedAt }) => returnedAt !== undefined);
  known.sort((a, b) => a.calledAt - b.calledAt);
  const seen = new Set(known.map(({ seen }) => seen));
  const unknown = operations
    .filter(({ returnedAt }) => returnedAt === undefined)
    .map((operation) => (operation.made && !seen.has(operation.made) ? anonymous(operation) : operation));
  unknown.sort((a, b) => a.calledAt - b.calledAt);
  const search = new Search([...known, ...unknown], known.length);
  return search.run(initial);
}

/** A lost write with an id that no response contains. The states of all such writes are equivalent. */
function anonymous({ text, made, next, ...operation }) {
  const unseen = (state) => (state === made ? '?' : state);
  return { ...operation, text: text.replace(made, '?'), next: (state) => unseen(next(state)) };
}

class Search {
  #operations;
  #known;
  #isDone;
  #visited = new Set();
  #steps = 0;
  #furthest = { done: -1, state: null, open: [] };

  constructor(operations, known) {
    this.#operations = operations;
    this.#known = known;
    this.#isDone = new Uint8Array(operations.length);
  }

  run(initial) {
    const path = [{ state: initial, candidates: this.#candidates(initial), at: -1 }];
    let done = 0;
    for (;;) {
      const top = path.at(-1);
      if (done === this.#known) return undefined;
      if (++this.#steps > stepsMax) return 'the history is too long to judge';
      const candidate = top.candidates.pop();
      if (candidate === undefined) {
        path.pop();
        if (path.length === 0) return this.#describe();
        this.#isDone[top.at] = 0;
        if (top.at < this.#known) done--;
        continue;
      }
      const state = this.#operations[candidate].next(top.state);
      if (state === undefined) continue;
      this.#isDone[candidate] = 1;
      if (this.#wasHere(state)) {
        this.#isDone[candidate] = 0;
        continue;
      }
      if (candidate < this.#known) done++;
      const candidates = this.#candidates(state);
      if (done > this.#furthest.done) this.#furthest = { done, state, open: [...candidates] };
      path.push({ state, candidates, at: candidate });
    }
  }

  /**
   * Returns the operations that may come next. If operation B was called after operation A had returned, B may come
   * next only when the search has already placed A. The likeliest operation is at the end.
   */
  #candidates(state) {
    let deadline = Number.POSITIVE_INFINITY;
    const open = [];
    for (let at = 0; at < this.#known; at++) {
      if (this.#isDone[at]) continue;
      if (this.#operations[at].calledAt > deadline) break;
      open.push(at);
      deadline = Math.min(deadline, this.#operations[at].returnedAt);
    }
    const possible = open.filter((at) => this.#operations[at].calledAt <= deadline);
    const idle = possible.find((at) => this.#operations[at].next(state) === state);
    if (idle !== undefined) return [idle];
    possible.sort((a, b) => this.#operations[b].returnedAt - this.#operations[a].returnedAt);
    return [...this.#lost(deadline), ...possible];
  }

  #lost(deadline) {
    const byText = new Map();
    for (let at = this.#known; at < this.#operations.length; at++) {
      const { text, calledAt } = this.#operations[at];
      if (calledAt > deadline) break;
      if (!this.#isDone[at] && !byText.has(text)) byText.set(text, at);
    }
    return byText.values();
  }

  #wasHere(state) {
    const place = `${state === null ? '' : `=${state}`}/${Buffer.from(this.#isDone).toString('latin1')}`;
    if (this.#visited.has(place)) return true;
    this.#visited.add(place);
    return false;
  }

  #describe() {
    const { done, state, open } = this.#furthest;
    const texts = open.map((at) => this.#operations[at].text).slice(0, 8);
    return `after ${done} of ${this.#known} responses the state can be ${state ?? 'absent'}, and none of these fits: ${texts.join('; ')}`;
  }
}
