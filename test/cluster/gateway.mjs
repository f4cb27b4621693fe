// One address for the current primary, like a load balancer. Nodes that reconnect reach the new primary.
import { connect, createServer } from 'node:net';

export class Gateway {
  #server;
  #sockets = new Set();
  #target;

  /** Forwards connections to a port of this machine. */
  static async open(target) {
    const gateway = new Gateway();
    gateway.#target = target;
    gateway.#server = createServer((client) => gateway.#join(client));
    await new Promise((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get port() {
    return this.#server.address().port;
  }

  #join(client) {
    const server = connect(this.#target, '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }

  /** Breaks the connections, and forwards new ones to another port. */
  redirect(target) {
    this.#target = target;
    this.breakAll();
  }

  /** Breaks every connection as a network failure does, without a close by either side. */
  breakAll() {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.breakAll();
    await closed;
  }
}
