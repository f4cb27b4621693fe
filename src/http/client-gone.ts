/** The client hung up before it was answered: nobody is to blame, and nobody reads an answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client hung up before it was answered');
    this.name = 'ClientGone';
  }
}
