// What the writers know of their keys: of each the last acknowledged state and the one request under way, if any.

/** The text by which ETags compare; their own trims trailing zeros. */
export function momentOf(etag) {
  const [, seconds, fraction = ''] = /datetime'([^.']+?)(?:\.(\d+))?Z'/.exec(decodeURIComponent(etag)) ?? [];
  if (seconds === undefined) throw new Error(`${etag} is no ETag`);
  return `${seconds}.${fraction.padEnd(7, '0')}`;
}

/** The state of an entity as it was read. */
function stateOf({ PartitionKey, RowKey, Timestamp, 'odata.etag': etag, ...properties }) {
  return { etag, properties };
}

const textOf = (properties) => JSON.stringify(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));

export class Ledger {
  /** Writes that were acknowledged: applied ones, and refusals. */
  acknowledged = 0;
  /** What went against the promises, each as a sentence. */
  violations = [];
  #entries = new Map();
  /** The latest moment seen before the server was started last. */
  #floor = '';
  #latest = '';

  /** The acknowledged state of a key: `{ etag, properties }`, or undefined for no entity. */
  stateOf(key) {
    return this.#entries.get(key)?.state;
  }

  /** A request goes out that will leave `result`; `etag` in it is not known yet. */
  begin(key, result) {
    this.#entries.set(key, { state: this.stateOf(key), underWay: { result } });
  }

  /** The request was answered as it had to be. */
  settle(key, etag) {
    const { state, underWay } = this.#entries.get(key);
    this.acknowledged++;
    if (etag === undefined) {
      this.#entries.set(key, { state: underWay.result });
      return;
    }
    this.#entries.set(key, { state: { ...underWay.result, etag } });
    const moment = momentOf(etag);
    if (state && moment <= momentOf(state.etag)) this.violations.push(`${key}: ${etag} is not after ${state.etag}`);
    if (moment <= this.#floor) this.violations.push(`${key}: ${etag} is not after the restart's ${this.#floor}`);
    if (moment > this.#latest) this.#latest = moment;
  }

  /** Holds what is there after a restart against what must be; from then on it is what is known. */
  compare(entities) {
    const found = new Map(entities.map((entity) => [`${entity.PartitionKey}/${entity.RowKey}`, stateOf(entity)]));
    for (const key of found.keys()) if (!this.#entries.has(key)) this.violations.push(`${key}: nobody wrote it`);
    for (const [key, entry] of this.#entries) this.#compareKey(key, entry, found.get(key));
    this.#floor = this.#latest;
  }

  #compareKey(key, { state, underWay }, found) {
    const isAcknowledged = isSame(found, state);
    const isUnderWay = underWay !== undefined && isSame(found, underWay.result);
    if (!isAcknowledged && !isUnderWay) {
      const expected = [state, underWay?.result].map((side) => JSON.stringify(side)?.slice(0, 200)).join(' or ');
      this.violations.push(`${key}: found ${JSON.stringify(found)?.slice(0, 200)}, not ${expected}`);
    }
    if (isUnderWay && !isAcknowledged && found && state && momentOf(found.etag) <= momentOf(state.etag)) {
      this.violations.push(`${key}: ${found.etag} was written after ${state.etag}`);
    }
    if (found && momentOf(found.etag) > this.#latest) this.#latest = momentOf(found.etag);
    this.#entries.set(key, { state: found });
  }
}

/** The ETag of a state that was not acknowledged is not known. */
function isSame(found, expected) {
  if (!found || !expected) return found === expected;
  const { etag = found.etag, properties } = expected;
  return etag === found.etag && textOf(properties) === textOf(found.properties);
}
