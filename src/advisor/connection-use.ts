// How one client uses its connections. Every request counts, even if no window keeps it.

/** When a connection was last used. */
export interface LastUse {
  /** The period and the second in which it was last used. */
  period: number;
  second: number;
}

interface Use {
  /** Machine time of the arrival. */
  readonly startedMs: number;
  /** Connections of all clients that were open then. */
  readonly connectionsOpen: number;
}

export class ConnectionUse {
  requests = 0;
  connections = 0;
  atATime = 0;
  #period = 0;
  #second = -1;
  #inSecond = 0;

  /** Counts a request. `period` changes when the counts begin again. */
  count(session: LastUse, { startedMs, connectionsOpen }: Use, period: number): void {
    if (this.#period !== period) this.#begin(period);
    this.requests++;
    if (session.period !== period) {
      session.period = period;
      this.connections++;
    }
    const second = Math.floor(startedMs / 1000);
    if (session.second === second) return;
    session.second = second;
    if (this.#second !== second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    // A client that opens a connection for each request has many in a second, but few at a time.
    this.atATime = Math.max(this.atATime, Math.min(++this.#inSecond, connectionsOpen));
  }

  /** The counts, if they belong to this period. */
  in(period: number): Pick<ConnectionUse, 'requests' | 'connections' | 'atATime'> {
    return this.#period === period ? this : { requests: 0, connections: 0, atATime: 0 };
  }

  #begin(period: number): void {
    this.#period = period;
    this.requests = 0;
    this.connections = 0;
    this.atATime = 0;
    this.#second = -1;
  }
}
