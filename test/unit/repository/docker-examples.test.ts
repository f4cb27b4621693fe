// Tests the examples in docker/. The parser of each example follows the rules of the tool that uses the example. The
// name, port, flags, routes and environment in the example are compared with the image and the command line.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createProgram } from '../../../src/cli/program.ts';
import { defaultEmulatorSettings } from '../../../src/emulator.ts';
import { readCalledWords } from '../../../src/image/called-words.ts';
import { developmentKey } from '../../support/table-client.ts';
import { isBalanced } from './docs-blocks.ts';
import { readCommandLine, readImageCommandLine as startOf } from './read-command-line.ts';

const folder = fileURLToPath(new URL('../../../docker', import.meta.url));
const read = (file: string): string => readFileSync(`${folder}/${file}`, 'utf8');

const image = 'tanzanite/tanzanite';
const { port } = defaultEmulatorSettings;
const { commands } = await createProgram({ start: async () => undefined, environment: {}, notice: () => undefined });
const data = '/data';

const examples = [
  'compose.yaml',
  'compose.https.yaml',
  'compose.cluster.yaml',
  'github-actions.yml',
  'kubernetes.yaml',
  'kubernetes-cluster.yaml',
  'testcontainers/tables.test.mjs',
  'testcontainers/TablesTest.cs',
  'testcontainers/TablesTest.java',
  'testcontainers/test_tables.py',
];

describe.each(examples)('docker/%s', (file) => {
  const text = read(file);

  it('names the image like docker/README.md', () => {
    expect(text).toContain(image);
    expect(text).not.toMatch(/tanzanite\/tanzanite:/);
    expect(read('README.md')).toContain(`docker build -t ${image} .`);
    expect(read('README.md')).toContain(`(${file})`);
  });

  it('uses only the port of the image and those of Azurite', () => {
    const ports = [...text.matchAll(/\b1\d{4}\b/g)].map(([found]) => Number(found));
    expect(ports).toContain(port);
    expect(ports.filter((found) => ![10_000, 10_001, port].includes(found))).toEqual([]);
  });

  it('signs with the well-known key', () => {
    const keys = text.match(/[\w+/]{80,}==/g) ?? [];
    expect(keys.filter((key) => key !== developmentKey)).toEqual([]);
  });

  it('uses existing routes', () => {
    const routes = text.match(/\/_emulator\/[a-z]+/g) ?? [];
    expect(routes.filter((route) => route !== '/_emulator/health' && route !== '/_emulator/ready')).toEqual([]);
  });

  it('sets variables that the command line reads', () => {
    const help = commands
      .flatMap((command) => {
        let written = '';
        command.configureOutput({ writeOut: (part) => (written += part) }).outputHelp();
        return written;
      })
      .join('\n');
    const variables = text.match(/\b(TANZANITE|AZURITE)_[A-Z_]+/g) ?? [];
    expect(variables.filter((name) => !help.includes(name))).toEqual([]);
  });
});

interface ComposeService {
  readonly image: string;
  readonly command?: string | readonly string[];
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
}

describe('docker/compose.yaml', () => {
  const compose: { services: Record<string, ComposeService>; volumes: Record<string, unknown> } = parse(
    read('compose.yaml'),
  );
  const { blobs, tables } = compose.services;

  it('starts tables with flags of the command line, in the volume', async () => {
    const { settings } = await startOf([tables?.command ?? []].flat());
    expect(settings).toMatchObject({ host: '0.0.0.0', port, location: data });
    expect(tables?.image).toBe(image);
    expect(tables?.volumes).toEqual([`tables:${data}`]);
    expect(Object.keys(compose.volumes)).toContain('tables');
  });

  it('uses Azurite for blobs and queues, with their ports', () => {
    expect(blobs?.image).toBe('mcr.microsoft.com/azure-storage/azurite');
    expect(blobs?.ports).toEqual(['127.0.0.1:10000:10000', '127.0.0.1:10001:10001']);
    expect(tables?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  });

  it('has a connection string with the names of its services', () => {
    const [line = ''] = /DefaultEndpointsProtocol=\S+/.exec(read('compose.yaml')) ?? [];
    const hosts = [...line.matchAll(/Endpoint=http:\/\/(\w+):(\d+)\/devstoreaccount1;/g)].map(([, name, at]) => [
      name,
      at,
    ]);
    expect(hosts).toEqual([
      ['blobs', '10000'],
      ['blobs', '10001'],
      ['tables', String(port)],
    ]);
  });

  it('is built from the repository', () => {
    expect(parse(read('compose.yaml')).services.tables.build).toBe('..');
    expect(existsSync(`${folder}/../Dockerfile`)).toBe(true);
  });
});

describe('docker/compose.https.yaml', () => {
  const { services, volumes } = parse(read('compose.https.yaml'));
  const { tables, application } = services;

  it('writes the authority into the volume that the application mounts, under the expected file name', async () => {
    const { settings } = await startOf(tables.command);
    expect(settings).toMatchObject({ https: 'auto', httpsName: 'tables', location: data });
    expect(application.environment.NODE_EXTRA_CA_CERTS).toBe(settings.httpsAuthority);
    expect(settings.httpsAuthority).toMatch(/^\/authority\//);
    expect([tables.volumes, application.volumes]).toEqual([
      [`tables:${data}`, 'authority:/authority'],
      ['authority:/authority:ro'],
    ]);
    expect(Object.keys(volumes)).toEqual(['tables', 'authority']);
    expect(application.command.at(-1)).toContain(`https://tables:${port}/_emulator/ready`);
    expect(application.depends_on).toEqual({ tables: { condition: 'service_healthy' } });
  });

  it('names a folder that exists in the image and belongs to its user', () => {
    const dockerfile = readFileSync(`${folder}/../Dockerfile`, 'utf8');
    expect(dockerfile).toMatch(/install -d -m 0775 [^\n]*\/owned\/authority\b/);
    expect(dockerfile).toMatch(/install -d -o node -g root -m 0775 [^\n]* \/authority\b/);
  });
});

describe('docker/github-actions.yml', () => {
  const { jobs } = parse(read('github-actions.yml'));
  const { tables } = jobs.test.services;

  it('publishes the port of the image, and starts it without a command', async () => {
    expect(tables).toMatchObject({ image, ports: [`${port}:${port}`] });
    expect((await startOf([], tables.env)).settings).toMatchObject({
      host: '0.0.0.0',
      port,
      controlToken: tables.env.TANZANITE_CONTROL_TOKEN,
    });
  });

  it('passes the token of the service to the job', () => {
    const tests = jobs.test.steps.find(({ run }: { run?: string }) => run === 'npm test');
    expect(tests.env.TANZANITE_CONTROL_TOKEN).toBe(tables.env.TANZANITE_CONTROL_TOKEN);
  });
});

describe('docker/kubernetes.yaml', () => {
  const documents = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS());
  const [claim, deployment, service] = documents;
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  it('is a claim, a deployment and a service', () => {
    expect(documents.map(({ kind }) => kind)).toEqual(['PersistentVolumeClaim', 'Deployment', 'Service']);
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
    expect(pod.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  });

  it('starts the image with flags of the command line, in the claimed volume', async () => {
    expect(container.image).toBe(image);
    expect((await startOf(container.args)).settings).toMatchObject({ port, location: data, durability: 'power' });
    expect(container.volumeMounts).toEqual([{ name: pod.volumes[0].name, mountPath: data }]);
  });

  it('has no privileges', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('is probed on the port of the service', () => {
    const [{ name, containerPort }] = container.ports;
    expect(containerPort).toBe(port);
    expect(service.spec.ports).toEqual([{ name, port, targetPort: name }]);
    expect(container.readinessProbe.httpGet).toEqual({ path: '/_emulator/ready', port: name });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/_emulator/health', port: name });
  });

  it('runs one process at a time', () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });
});

describe('docker/compose.cluster.yaml', () => {
  const compose = parse(read('compose.cluster.yaml'));
  const { primary, standby, balancer, ...nodes } = compose.services;

  it('starts three nodes over one database, and none with data in a folder', async () => {
    expect(Object.keys(nodes)).toEqual(['node1', 'node2', 'node3']);
    for (const node of Object.values(nodes) as { command: string[]; environment: Record<string, string> }[]) {
      const { settings } = await startOf(node.command, node.environment);
      expect(settings).toMatchObject({ host: '0.0.0.0', port, store: node.environment['TANZANITE_STORE'] });
      expect(settings.location).toBeUndefined();
    }
  });

  it('has database addresses with the user of the databases', () => {
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: name } = primary.environment;
    expect(nodes.node1.environment).toEqual({
      TANZANITE_STORE: `postgres://${user}:${password}@primary/${name}`,
      TANZANITE_STORE_SECONDARY: `postgres://${user}:${password}@standby/${name}`,
    });
    expect(standby.image).toBe(primary.image);
    expect(compose.configs.replication.content).toContain("synchronous_standby_names = 'standby'");
    expect(standby.entrypoint.join(' ')).toContain('application_name=standby');
  });

  it('balances requests over the nodes that are ready', () => {
    const { content } = compose.configs.balancer;
    for (const name of Object.keys(nodes)) expect(content).toContain(`server ${name} ${name}:${port}\n`);
    expect(content).toContain('uri /_emulator/ready');
    expect(balancer.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  });
});

describe('docker/kubernetes-cluster.yaml', () => {
  const documents = parseAllDocuments(read('kubernetes-cluster.yaml')).map((document) => document.toJS());
  const [deployment, budget, service] = documents;
  const [container] = deployment.spec.template.spec.containers;

  it('is a deployment of several nodes, a disruption budget below their number, and a service', () => {
    expect(documents.map(({ kind }) => kind)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service']);
    const { labels } = deployment.spec.template.metadata;
    for (const { matchLabels } of [deployment.spec.selector, budget.spec.selector]) expect(matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    expect(deployment.spec.replicas).toBe(3);
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas);
  });

  it('starts the image over the database of a secret, without a volume', async () => {
    expect(container.image).toBe(image);
    const [store] = container.env;
    expect(store).toMatchObject({ name: 'TANZANITE_STORE', valueFrom: { secretKeyRef: { key: 'url' } } });
    const environment = { TANZANITE_STORE: 'postgres://db/tables' };
    const { settings } = await startOf(container.args, environment);
    expect(settings).toMatchObject({ port, store: 'postgres://db/tables' });
    expect(settings.location).toBeUndefined();
    expect(container.volumeMounts).toBeUndefined();
  });

  it('gets no requests while the database is unavailable, and is not restarted because of it', () => {
    const [{ name }] = container.ports;
    expect(container.readinessProbe.httpGet).toEqual({ path: '/_emulator/ready', port: name });
    expect(container.livenessProbe.tcpSocket).toEqual({ port: name });
  });
});

const pythonCommand = 'python3';
const hasPython = spawnSync(pythonCommand, ['--version']).status === 0;

describe('docker/testcontainers', () => {
  it.each(readdirSync(`${folder}/testcontainers`))(
    '%s starts the image with flags of the command line',
    async (file) => {
      const [, list = ''] = /with_?command\(([^)]*)\)/i.exec(read(`testcontainers/${file}`)) ?? [];
      const words = [...list.matchAll(/["']([^"']+)["']/g)].map(([, word = '']) => word);
      expect(words.length).toBeGreaterThan(0);
      const { settings, silent } = await startOf(words);
      expect(settings).toMatchObject({ host: '0.0.0.0', port });
      expect({ location: settings.location, silent }).toEqual({ location: undefined, silent: true });
    },
  );

  it.each(readdirSync(`${folder}/testcontainers`))('%s waits until the emulator is ready', (file) => {
    expect(read(`testcontainers/${file}`)).toContain('/_emulator/ready');
  });

  it('tables.test.mjs is JavaScript', () => {
    const { status, stderr } = spawnSync(process.execPath, ['--check', `${folder}/testcontainers/tables.test.mjs`]);
    expect(status, String(stderr)).toBe(0);
  });

  it.skipIf(!hasPython)('test_tables.py is Python (needs python3)', () => {
    const program = 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])';
    const { status, stderr } = spawnSync(pythonCommand, ['-c', program, `${folder}/testcontainers/test_tables.py`]);
    expect(status, String(stderr)).toBe(0);
  });

  it.each([
    ['TablesTest.java', /^import static [\w.]+;\n\n(import [\w.]+;\n)+\nclass TablesTest \{$/m],
    ['TablesTest.cs', /^(using [\w.]+;\n)+\npublic sealed class TablesTest : IAsyncLifetime\n\{$/m],
  ])('%s is a single class with balanced brackets', (file, head) => {
    const source = read(`testcontainers/${file}`);
    expect(source).toMatch(head);
    expect(isBalanced(source)).toBe(true);
  });
});

describe('docker/devcontainer/tanzanite', () => {
  const feature = JSON.parse(read('devcontainer/tanzanite/devcontainer-feature.json'));
  const script = read('devcontainer/tanzanite/install.sh');

  it('is a feature with the name of its folder and the version of the package', () => {
    const manifest = JSON.parse(read('../package.json'));
    expect(feature).toMatchObject({ id: 'tanzanite', version: manifest.version });
    expect(feature.options.package.default).toBe(`./${manifest.name}-${manifest.version}.tgz`);
  });

  it('starts with flags of the command line, at the default address of its commands', async () => {
    const { settings } = await readCommandLine(['start', ...feature.options.flags.default.split(' ')]);
    expect(settings.location).toBe(/^data=(.+)$/m.exec(script)?.[1]);
    expect(`http://${settings.host}:${settings.port}`).toBe(feature.containerEnv.TANZANITE_URL);
    expect(script).toContain('tanzanite start $FLAGS');
  });

  it('is installed by an executable script that reads each option', () => {
    expect(statSync(`${folder}/devcontainer/tanzanite/install.sh`).mode & 0o111).toBe(0o111);
    expect(spawnSync('sh', ['-n', `${folder}/devcontainer/tanzanite/install.sh`]).status).toBe(0);
    for (const option of Object.keys(feature.options)) expect(script).toContain(`$${option.toUpperCase()}`);
    expect(script).toContain(`share=${feature.entrypoint.replace(/\/start\.sh$/, '')}\n`);
  });
});

describe('docker/README.md', () => {
  const lines = [...read('README.md').matchAll(/^docker run .*$/gm)].map(([line]) => line);
  const wordsOf = (line: string): string[] =>
    [...line.slice(line.indexOf(image) + image.length).matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );

  it.each(lines.filter((line) => !/--entrypoint|explain|--cert/.test(line)))('starts with %s', async (line) => {
    expect((await startOf(wordsOf(line))).settings).toMatchObject({ host: '0.0.0.0', port });
  });

  it('names only flags and commands that exist', () => {
    const names = commands.map((command) => command.name());
    const known = new Set(commands.flatMap(({ options }) => options.flatMap(({ long, short }) => [long, short])));
    for (const [first = 'start', ...words] of lines.map((line) => readCalledWords(wordsOf(line)))) {
      const flags = [first, ...words].filter((word) => word.startsWith('-'));
      expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
      if (!first.startsWith('-')) expect(names).toContain(first);
    }
    expect(lines.length).toBeGreaterThan(4);
  });

  it('links to existing files', () => {
    const links = [...read('README.md').matchAll(/\]\(([^)#]+)(?:#[\w-]+)?\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(`${folder}/${link}`))).toEqual([]);
  });
});
