/** The client closed the connection before the response was made: no response is sent, and it is not an error of the emulator. */
export class ClientDisconnected extends Error {
  constructor() {
    super('the client disconnected before the response was made');
    this.name = 'ClientDisconnected';
  }
}
