// What the writers know about their keys: the last acknowledged state of each key, and the request in progress, if
// there is one. A request is a single write or a transaction of many writes. Either all keys of a request change, or
// none of them does.

/** Turns an ETag into a form that sorts by time. An ETag itself has no trailing zeros. */
export function momentOf(etag) {
  const [, seconds, fraction = ''] = /datetime'([^.']+?)(?:\.(\d+))?Z'/.exec(decodeURIComponent(etag)) ?? [];
  if (seconds === undefined) throw new Error(`${etag} is not an ETag`);
  return `${seconds}.${fraction.padEnd(7, '0')}`;
}

/** The state of an entity that was read. */
function stateOf({ PartitionKey, RowKey, Timestamp, 'odata.etag': etag, ...properties }) {
  return { etag, properties };
}

const textOf = (properties) => JSON.stringify(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));

export class Ledger {
  /** The number of requests that got the expected response: applied writes and refusals. */
  acknowledged = 0;
  /** The number of transactions among these requests, by outcome. */
  transactions = { applied: 0, refused: 0 };
  /** The number of transactions that a kill interrupted, by their state after the restart. */
  interrupted = { there: 0, absent: 0 };
  /** Broken promises, each described by a sentence. */
  violations = [];
  #entries = new Map();
  /** The latest timestamp seen before the last start of the server. */
  #floor = '';
  #latest = '';

  /** The acknowledged state of a key: `{ etag, properties }`, or undefined if there is no entity. */
  stateOf(key) {
    return this.#entries.get(key)?.state;
  }

  /** Records a request in progress. `results` are the states that it makes, by key. Their ETags are not known yet. */
  begin(results) {
    const underWay = { results };
    for (const key of results.keys()) this.#entries.set(key, { state: this.stateOf(key), underWay });
  }

  /**
   * Records that the request got the expected response. `etags` maps each key to its ETag. It is empty if the request
   * was refused.
   */
  settle(results, etags) {
    this.acknowledged++;
    if (results.size > 1) this.transactions[etags.size > 0 ? 'applied' : 'refused']++;
    for (const [key, result] of results) this.#settleKey(key, result, etags.get(key));
  }

  #settleKey(key, result, etag) {
    const state = this.stateOf(key);
    if (etag === undefined) {
      if (result && !result.etag) this.violations.push(`${key}: it was written, and the response had no ETag`);
      this.#entries.set(key, { state: result });
      return;
    }
    this.#entries.set(key, { state: { ...result, etag } });
    const moment = momentOf(etag);
    if (state && moment <= momentOf(state.etag)) this.violations.push(`${key}: ${etag} is not after ${state.etag}`);
    if (moment <= this.#floor) this.violations.push(`${key}: ${etag} is not after the restart's ${this.#floor}`);
    if (moment > this.#latest) this.#latest = moment;
  }

  /** Compares the entities after a restart with the expected ones. The found entities are the new expected state. */
  compare(entities) {
    const found = new Map(entities.map((entity) => [`${entity.PartitionKey}/${entity.RowKey}`, stateOf(entity)]));
    for (const key of found.keys()) if (!this.#entries.has(key)) this.violations.push(`${key}: no writer wrote it`);
    const interrupted = new Set();
    for (const [key, { state, underWay }] of this.#entries) {
      if (underWay) interrupted.add(underWay);
      else if (!isSame(found.get(key), state)) this.violations.push(contrast(key, found.get(key), [state]));
    }
    for (const { results } of interrupted) this.#compareRequest(results, found);
    for (const key of this.#entries.keys()) this.#entries.set(key, { state: found.get(key) });
    for (const { etag } of found.values()) if (momentOf(etag) > this.#latest) this.#latest = momentOf(etag);
    this.#floor = this.#latest;
  }

  #compareRequest(results, found) {
    const keys = [...results.keys()];
    const isAsBefore = (key) => isSame(found.get(key), this.stateOf(key));
    const isAsMeant = (key) => isSame(found.get(key), results.get(key));
    const isAbsent = keys.every(isAsBefore);
    if (!isAbsent && !keys.every(isAsMeant)) {
      // An odd entity is neither in its state before the request nor in its state after the request. `key` is the first
      // odd entity. If no entity is odd, some entities were changed and others were not. In this case, `key` is the
      // first unchanged entity if keys[0] was changed, and otherwise the first changed entity.
      const odd = keys.find((key) => !isAsBefore(key) && !isAsMeant(key));
      const key = odd ?? keys.find((other) => !(isAsMeant(keys[0]) ? isAsMeant : isAsBefore)(other));
      const meant = keys.filter(isAsMeant).length;
      const share = keys.length > 1 ? `, and of its transaction ${meant} of ${keys.length} changes are there` : '';
      this.violations.push(contrast(key, found.get(key), [this.stateOf(key), results.get(key)]) + share);
      return;
    }
    if (keys.length > 1) this.interrupted[isAbsent ? 'absent' : 'there']++;
    if (!isAbsent) for (const key of keys) this.#compareMoment(key, found.get(key), this.stateOf(key));
  }

  #compareMoment(key, found, state) {
    if (found && state && momentOf(found.etag) <= momentOf(state.etag)) {
      this.violations.push(`${key}: ${found.etag} was written after ${state.etag}`);
    }
  }
}

function contrast(key, found, sides) {
  const [there, ...expected] = [found, ...sides].map((side) => String(JSON.stringify(side)).slice(0, 200));
  return `${key}: found ${there}, not ${expected.join(' or ')}`;
}

/** Compares two states. The ETag of a write without a response is unknown, and is not compared. */
function isSame(found, expected) {
  if (!found || !expected) return found === expected;
  const { etag = found.etag, properties } = expected;
  return etag === found.etag && textOf(properties) === textOf(found.properties);
}
