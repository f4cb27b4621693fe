// Command lines that people use with Azurite. These are only facts: the flags of each source, in their order.

export interface AzuriteCommandLine {
  readonly line: string;
  /** Environment variables that are set for the command line. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The command lines of each source. */
export const azuriteCommandLines: Readonly<Record<string, readonly AzuriteCommandLine[]>> = {
  // Source: Azurite, README.md, getting started and supported command line options.
  'the README': [
    { line: 'azurite' },
    { line: 'azurite-table' },
    { line: 'azurite -s -l c:\\azurite -d c:\\azurite\\debug.log' },
    { line: 'azurite --silent --location c:\\azurite --debug c:\\azurite\\debug.log' },
    { line: 'azurite-table --silent --location /data --debug /data/debug.log' },
    { line: 'azurite -l path -d path/debug.log' },
    { line: 'azurite --blobHost 127.0.0.1 --queueHost 127.0.0.1 --tableHost 127.0.0.1' },
    { line: 'azurite --blobPort 8888 --queuePort 9999 --tablePort 11111' },
    { line: 'azurite --blobKeepAliveTimeout 5 --queueKeepAliveTimeout 5 --tableKeepAliveTimeout 5' },
    { line: 'azurite-table --tableHost 0.0.0.0 --tablePort 11111' },
    { line: 'azurite-table --tableHost 127.0.0.1 --tableKeepAliveTimeout 30 --loose' },
    { line: 'azurite --inMemoryPersistence' },
    { line: 'azurite --inMemoryPersistence --extentMemoryLimit 200' },
    { line: 'azurite -L' },
    { line: 'azurite --loose' },
    { line: 'azurite --skipApiVersionCheck' },
    { line: 'azurite --disableProductStyleUrl' },
    { line: 'azurite --disableTelemetry' },
    { line: 'azurite --location=/data --tablePort=10002 --silent' },
    { line: 'azurite', env: { AZURITE_ACCOUNTS: 'account1:a2V5MQ==' } },
    { line: 'azurite', env: { AZURITE_ACCOUNTS: 'account1:a2V5MQ==:a2V5Mg==;account2:a2V5MQ==' } },
    { line: 'azurite', env: { AZURITE_DB: 'mysql://root:pass@localhost:3306/azurite' } },
  ],
  // Source: Azurite, README.md, Docker images, and the command of its Dockerfile.
  'the Docker examples': [
    { line: 'azurite -l /data --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0' },
    { line: 'azurite --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0' },
    {
      line:
        'azurite -l /workspace -d /workspace/debug.log --blobPort 7777 --blobHost 0.0.0.0 --queuePort 8888 ' +
        '--queueHost 0.0.0.0 --tablePort 9999 --tableHost 0.0.0.0 --loose --skipApiVersionCheck --disableProductStyleUrl',
    },
    { line: 'azurite -l /data -d /data/debug.log --tableHost 0.0.0.0' },
    { line: 'azurite-table -l /data --tableHost 0.0.0.0 --tablePort 10002' },
  ],
  'compose files': [
    {
      line: 'azurite --loose --blobHost 0.0.0.0 --blobPort 10000 --queueHost 0.0.0.0 --queuePort 10001 --location /workspace --debug /workspace/debug.log',
    },
    {
      line: 'azurite --silent --location /data --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0 --skipApiVersionCheck',
    },
    { line: 'azurite-table --tableHost 0.0.0.0 --tablePort 10002 --location /data --silent --loose' },
    { line: 'azurite --tableHost 0.0.0.0 --disableProductStyleUrl', env: { AZURITE_SKIP_API_VERSION_CHECK: 'true' } },
    { line: 'azurite --inMemoryPersistence --silent', env: { AZURITE_ACCOUNTS: '"account1:a2V5MQ=="' } },
  ],
  // Azurite accepts a value after its switches.
  'switches with a value': [
    { line: 'azurite --silent true --loose=true --inMemoryPersistence' },
    { line: 'azurite-table -s true -L true --skipApiVersionCheck=true --disableProductStyleUrl true --location /data' },
    { line: 'azurite --disableTelemetry true --silent=true --blobPort 10000' },
  ],
  'Testcontainers and Aspire': [
    { line: 'azurite --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0 --inMemoryPersistence' },
    { line: 'azurite --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0 --skipApiVersionCheck' },
    {
      line: 'azurite --blobHost 0.0.0.0 --blobPort 10000 --queueHost 0.0.0.0 --queuePort 10001 --tableHost 0.0.0.0 --tablePort 10002 --location /data',
    },
    {
      line: 'azurite -s --disableProductStyleUrl --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0 --location /data',
    },
  ],
};

/** Command lines with a certificate, which serve HTTPS. */
export const azuriteHttpsCommandLines: readonly AzuriteCommandLine[] = [
  { line: 'azurite --cert 127.0.0.1.pem --key 127.0.0.1-key.pem' },
  { line: 'azurite --oauth basic --cert 127.0.0.1.pem --key 127.0.0.1-key.pem' },
  { line: 'azurite --cert 127.0.0.1.pfx --pwd pfxpassword' },
  {
    line: 'azurite --oauth basic --cert 127.0.0.1.pfx --pwd pfxpassword --tableHost 0.0.0.0 --silent --location /data',
  },
];
