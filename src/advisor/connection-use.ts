// Counts how one client uses its connections. Every request counts, even if the window does not keep it.

/** When a connection was last used. */
export interface LastUse {
  /** The period and the second in which the connection was last used. A period ends when a window is full. */
  period: number;
  second: number;
}

interface Use {
  /** The machine time at which the request arrived. */
  readonly startedMs: number;
  /** The connections of all clients that were open at that time. */
  readonly connectionsOpen: number;
}

export class ConnectionUse {
  requests = 0;
  connections = 0;
  atATime = 0;
  #period = 0;
  #second = -1;
  #inSecond = 0;

  /** Counts a request. When `period` changes, the counts start again from zero. */
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
    // Count the connections that were used in this second, but never count more connections than are open. A client
    // that opens a connection for each request uses many connections in a second, but has only a few of them open at a
    // time.
    this.atATime = Math.max(this.atATime, Math.min(++this.#inSecond, connectionsOpen));
  }

  /** The counts of this period. They are zero if the client sent no request in it. */
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
