// Copy this file into a project; it is a module of Testcontainers for the image:
//   const tables = await new TanzaniteContainer().start();
import { AbstractStartedContainer, GenericContainer, Wait } from 'testcontainers';

const port = 10002;
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export class TanzaniteContainer extends GenericContainer {
  constructor(image = 'tanzanite/tanzanite') {
    super(image);
    this.withExposedPorts(port)
      .withCommand(['--inMemoryPersistence', '--accounts', 'any', '--silent'])
      .withWaitStrategy(Wait.forHttp('/_emulator/ready', port).forStatusCode(200));
  }

  async start() {
    return new StartedTanzaniteContainer(await super.start());
  }
}

export class StartedTanzaniteContainer extends AbstractStartedContainer {
  /** The connection string of an account. Any name is accepted, so each test can have its own account. */
  connectionString(name = account) {
    const endpoint = `http://${this.getHost()}:${this.getMappedPort(port)}/${name}`;
    return `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};TableEndpoint=${endpoint};`;
  }
}
