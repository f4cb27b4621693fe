/** The client hung up before it was answered: nobody is to blame, and nobody reads an answer. */
export class ClientDisconnected extends Error {
  constructor() {
    super('the client hung up before it was answered');
    this.name = 'ClientDisconnected';
  }
}
