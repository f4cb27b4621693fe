// How the modules of Testcontainers, Aspire and compose files start Azurite's image and what they wait for. Facts only.

export interface ContainerModule {
  readonly name: string;
  readonly source: string;
  /** Where the module replaces the image's own. */
  readonly entrypoint?: 'azurite' | 'azurite-blob';
  readonly command: string;
  /** It is ready once these are on standard output. */
  readonly lines?: readonly RegExp[];
  /** It is ready once these ports accept connections. */
  readonly ports?: readonly ('blob' | 'queue' | 'table')[];
  /** It is ready once the blob service answers over HTTP. */
  readonly asksBlobs?: true;
  /** Whether the image without Azurite satisfies it too. */
  readonly tablesOnly?: true;
}

const hosts = '--blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0';
const hostsAndPorts =
  '--blobHost 0.0.0.0 --blobPort 10000 --queueHost 0.0.0.0 --queuePort 10001 --tableHost 0.0.0.0 --tablePort 10002';
const threeLines = ['Blob', 'Queue', 'Table'].map((name) => new RegExp(`${name} service is successfully listening`));
const allPorts = ['blob', 'queue', 'table'] as const;
const dotnet = 'testcontainers-dotnet, src/Testcontainers.Azurite/AzuriteBuilder.cs';
const node = 'testcontainers-node, packages/modules/azurite/src/azurite-container.ts';
const go = 'testcontainers-go, modules/azure/azurite/azurite.go';

export const containerModules: readonly ContainerModule[] = [
  { name: '.NET', source: dotnet, entrypoint: 'azurite', command: hosts, lines: threeLines },
  {
    name: '.NET, in memory',
    source: dotnet,
    entrypoint: 'azurite',
    command: `${hosts} --inMemoryPersistence`,
    lines: threeLines,
  },
  {
    name: 'Java',
    source: 'testcontainers-java, modules/azure/src/main/java/org/testcontainers/azure/AzuriteContainer.java',
    command: `azurite ${hosts}`,
    ports: allPorts,
  },
  { name: 'Node', source: node, entrypoint: 'azurite', command: hostsAndPorts, lines: threeLines },
  {
    name: 'Node, in memory',
    source: node,
    entrypoint: 'azurite',
    command: `${hostsAndPorts} --inMemoryPersistence --extentMemoryLimit 64 --skipApiVersionCheck`,
    lines: threeLines,
  },
  { name: 'Go', source: go, entrypoint: 'azurite', command: hostsAndPorts, ports: allPorts },
  {
    name: 'Go, tables only',
    source: go,
    entrypoint: 'azurite',
    command: '--tableHost 0.0.0.0 --tablePort 10002',
    ports: ['table'],
    tablesOnly: true,
  },
  {
    name: 'Go, blobs only',
    source: go,
    entrypoint: 'azurite-blob',
    command: '--blobHost 0.0.0.0 --blobPort 10000',
    ports: ['blob'],
  },
  {
    name: 'Python',
    source: 'testcontainers-python, src/testcontainers/community/azurite/__init__.py',
    command: '',
    ports: ['blob'],
  },
  {
    name: 'Rust',
    source: 'testcontainers-rs-modules-community, src/azurite/mod.rs',
    command: `azurite ${hosts}`,
    lines: [/Azurite Table service is successfully listening at http:\/\/0\.0\.0\.0:/],
    tablesOnly: true,
  },
  {
    name: 'Aspire',
    source: 'microsoft/aspire, src/Aspire.Hosting.Azure.Storage/AzureStorageExtensions.cs',
    command: `azurite -l /data ${hosts} --disableProductStyleUrl --skipApiVersionCheck`,
    asksBlobs: true,
  },
  {
    name: 'compose',
    source: 'Azurite, README.md, Docker Compose; a health check by nc -z for each port',
    command: `azurite ${hosts} --location /data --debug /data/debug.log --loose`,
    ports: allPorts,
  },
];
