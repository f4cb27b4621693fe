/**
 * Thrown if the client closed the connection before the response was made. No response is sent. This is not an error of
 * the emulator.
 */
export class ClientDisconnected extends Error {
  constructor() {
    super('the client disconnected before the response was made');
    this.name = 'ClientDisconnected';
  }
}
