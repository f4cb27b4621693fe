// Runs the module of examples/testcontainers-node. In this test, a replacement of the package testcontainers only
// records the request for a container, so no container engine is needed. The test checks that the request names our
// image, and that our command line accepts the flags in the request.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readImageCommandLine } from './read-command-line.ts';

const example = fileURLToPath(new URL('../../../examples/testcontainers-node', import.meta.url));

const standIn = `
export class GenericContainer {
  request = {};
  constructor(image) { this.request.image = image; }
  withExposedPorts(...ports) { this.request.ports = ports; return this; }
  withCommand(words) { this.request.command = words; return this; }
  withWaitStrategy(strategy) { this.request.wait = strategy; return this; }
  async start() { return { getHost: () => '127.0.0.1', getMappedPort: (port) => port + 1 }; }
}
export class AbstractStartedContainer {
  constructor(started) { this.started = started; }
  getHost() { return this.started.getHost(); }
  getMappedPort(port) { return this.started.getMappedPort(port); }
}
export const Wait = { forHttp: (path, port) => ({ path, port, forStatusCode: (status) => ({ path, port, status }) }) };
`;

async function loadModule() {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  cpSync(example, folder.path, { recursive: true });
  const place = join(folder.path, 'node_modules/testcontainers');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(join(place, 'index.js'), standIn);
  return import(pathToFileURL(join(folder.path, 'tanzanite-container.js')).href);
}

it('requests the image, its port, flags that it accepts, and a wait for its readiness', async () => {
  const { TanzaniteContainer } = await loadModule();
  const { image, ports, command, wait } = new TanzaniteContainer().request;
  expect({ image, ports, wait }).toEqual({
    image: 'tanzanite/tanzanite',
    ports: [10002],
    wait: { path: '/_emulator/ready', port: 10002, status: 200 },
  });
  const { settings } = await readImageCommandLine(command);
  expect(settings).toMatchObject({ host: '0.0.0.0', port: 10002, accounts: 'any' });
  expect(settings.location).toBeUndefined();
});

it('returns the connection string of any account, at the mapped port', async () => {
  const { TanzaniteContainer } = await loadModule();
  const started = await new TanzaniteContainer().start();
  expect(started.connectionString('worker1')).toMatch(
    /AccountName=worker1;AccountKey=[\w+/]+==;TableEndpoint=http:\/\/127\.0\.0\.1:10003\/worker1;$/,
  );
});
