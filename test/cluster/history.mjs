// The requests of the clients and their responses, grouped by register.
import { findContradiction } from './registers.mjs';

export class History {
  /** The number of requests with a response that says what happened. */
  answered = 0;
  /** The number of requests that may have happened: there was no response, or the response does not say. */
  unknown = 0;
  /** The number of requests that did not happen: there was no connection, or the response was 503. */
  refused = 0;
  /** Violations outside registers: wrong sums, and responses that no request can have. */
  violations = [];
  #registers = new Map();

  /** Adds a register, with its state before the first operation. */
  open(name, initial = null) {
    this.#registers.set(name, { initial, operations: [] });
  }

  note(register, effect, { calledAt, returnedAt }) {
    this.#registers.get(register).operations.push({ ...effect, calledAt, returnedAt });
  }

  /** Returns the violations, and a sentence for each register that is not linearisable. */
  judge() {
    const contradictions = [...this.#registers].flatMap(([name, { initial, operations }]) => {
      const contradiction = findContradiction(operations, initial);
      return contradiction === undefined ? [] : [`${name}: ${contradiction}`];
    });
    return [...this.violations, ...contradictions];
  }
}
