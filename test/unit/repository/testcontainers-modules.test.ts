// Runs the modules of packages/testcontainers. The tests replace Testcontainers by code that starts no container, and
// only records the request for the container. The tests compare these requests with the image and the command line.
// packages/testcontainers/check.sh runs the modules with a container engine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readImageCommandLine } from './read-command-line.ts';

const modules = fileURLToPath(new URL('../../../packages/testcontainers', import.meta.url));
const token = 'a-token-for-this-test';

interface Asked {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  readonly wait: { readonly path: string; readonly port: number };
  /** The modes of files in the container, by path. */
  readonly files: Readonly<Record<string, number>>;
  readonly connectionString: string;
}

function folderWithSeed(): { folder: string; seed: string } {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const seed = join(folder.path, 'the data');
  mkdirSync(join(seed, 'inner'), { recursive: true });
  writeFileSync(join(seed, 'pets.ndjson'), '{"PartitionKey":"dog","RowKey":"rex"}\n', { mode: 0o600 });
  return { folder: folder.path, seed };
}

const nodeStandIn = `
export const asked = { files: {} };
export class GenericContainer {
  withExposedPorts(...ports) { asked.ports = ports; return this; }
  withCommand(words) { asked.command = words; return this; }
  withEnvironment(environment) { asked.environment = environment; return this; }
  withWaitStrategy(strategy) { asked.wait = strategy; return this; }
  withStartupTimeout() { return this; }
  withCopyFilesToContainer(files) { for (const { target, mode } of files) asked.files[target] = mode; return this; }
  async start() { return { getHost: () => '127.0.0.1', getMappedPort: (port) => port + 1 }; }
}
export class AbstractStartedContainer {
  constructor(started) { this.started = started; }
  getHost() { return this.started.getHost(); }
  getMappedPort(port) { return this.started.getMappedPort(port); }
}
export const Wait = { forHttp: (path, port) => ({ forStatusCode: () => ({ path, port }) }) };
`;

async function askNode(): Promise<Asked> {
  const { folder, seed } = folderWithSeed();
  const place = join(folder, 'node_modules/testcontainers');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(join(place, 'index.js'), nodeStandIn);
  const source = join(modules, 'node/packages/modules/tanzanite/src/tanzanite-container.ts');
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, verbatimModuleSyntax: false };
  const { outputText } = ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions });
  const file = join(folder, 'tanzanite-container.mjs');
  writeFileSync(file, outputText);
  const { TanzaniteContainer } = await import(pathToFileURL(file).href);
  const { asked } = await import(pathToFileURL(join(place, 'index.js')).href);
  const container = new TanzaniteContainer('tanzanite/tanzanite').withSeed(seed).withFlags('--throttle', 'enforce');
  const started = await container.withControlToken(token).start();
  return { ...asked, connectionString: started.getConnectionString('worker1') };
}

const pythonStandIns = {
  'testcontainers/core/container.py': `
class DockerContainer:
    def __init__(self, image): self.asked = {"files": {}, "environment": {}}
    def with_exposed_ports(self, *ports): self.asked["ports"] = ports; return self
    def with_env(self, name, value): self.asked["environment"][name] = value; return self
    def with_command(self, words): self.asked["command"] = words; return self
    def waiting_for(self, strategy): self.asked["wait"] = strategy; return self
    def with_copy_into_container(self, source, target, mode=0o644): self.asked["files"][target] = mode; return self
    def get_container_host_ip(self): return "127.0.0.1"
    def get_exposed_port(self, port): return port + 1
`,
  'testcontainers/core/wait_strategies.py': `
class HttpWaitStrategy:
    def __init__(self, port, path): self.asked = {"port": port, "path": path}
    def for_status_code(self, code): return self.asked
`,
  'typing_extensions.py': 'Self = object\n',
};

const pythonProgram = `
import json, sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from tanzanite import TanzaniteContainer
container = TanzaniteContainer(control_token=sys.argv[4]).with_seed(sys.argv[3]).with_flags("--throttle", "enforce")
container._configure()
print(json.dumps({**container.asked, "connectionString": container.get_connection_string("worker1")}))
`;

function askPython(): Asked {
  const { folder, seed } = folderWithSeed();
  for (const [name, text] of Object.entries(pythonStandIns)) {
    mkdirSync(join(folder, 'testcontainers/core'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const community = join(modules, 'python/src/testcontainers/community');
  const words = ['-B', '-c', pythonProgram, folder, community, seed, token];
  const { status, stdout, stderr } = spawnSync('python3', words, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.each([
  { language: 'Node', ask: askNode, isHere: true },
  { language: 'Python', ask: askPython, isHere: hasPython },
])('The module for Testcontainers of $language', ({ ask, isHere }) => {
  it.skipIf(!isHere)('starts the image with settings that it accepts, and with readable files', async () => {
    const { command, environment, ports, wait, files, connectionString } = await ask();
    expect({ ports, wait, environment }).toEqual({
      ports: [10002],
      wait: { path: '/_emulator/ready', port: 10002 },
      environment: { TANZANITE_CONTROL_TOKEN: token },
    });
    const { settings, seed } = (await readImageCommandLine(command, environment)) as {
      settings: Record<string, unknown>;
      seed?: unknown;
    };
    expect(settings).toMatchObject({ host: '0.0.0.0', port: 10002, accounts: 'any', throttle: 'enforce' });
    expect(settings['location']).toBeUndefined();
    expect(JSON.stringify({ settings, seed })).toContain('/seed');
    expect(files).toEqual({ '/seed/pets.ndjson': 0o644 });
    expect(connectionString).toMatch(
      /^DefaultEndpointsProtocol=http;AccountName=worker1;AccountKey=[\w+/]+==;TableEndpoint=http:\/\/127\.0\.0\.1:10003\/worker1;$/,
    );
  });
});
