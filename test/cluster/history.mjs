// The requests of the clients and their responses, by register.
import { findContradiction } from './registers.mjs';

export class History {
  /** Requests whose response says what happened. */
  answered = 0;
  /** Requests that may have happened: no response, or one that says so. */
  unknown = 0;
  /** Requests that did not happen: no connection, or 503. */
  refused = 0;
  /** Violations that no register shows: wrong sums, responses that no request can have. */
  violations = [];
  #registers = new Map();

  /** A register and its state before the first operation. */
  open(name, initial = null) {
    this.#registers.set(name, { initial, operations: [] });
  }

  note(register, effect, { calledAt, returnedAt }) {
    this.#registers.get(register).operations.push({ ...effect, calledAt, returnedAt });
  }

  /** A sentence for each register that is not linearisable, and the violations. */
  judge() {
    const contradictions = [...this.#registers].flatMap(([name, { initial, operations }]) => {
      const contradiction = findContradiction(operations, initial);
      return contradiction === undefined ? [] : [`${name}: ${contradiction}`];
    });
    return [...this.violations, ...contradictions];
  }
}
