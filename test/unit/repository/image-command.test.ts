import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readServer, readUrl, withCopies } from '../../../src/cli/image-server.ts';
import { readCalledWords, readProcessWords } from '../../../src/image/called-words.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readCommandLine, readImageCommandLine } from './read-command-line.ts';

type Environment = Readonly<Record<string, string>>;

const words = (line: string): string[] => line.split(' ').filter(Boolean);
const read = (line: string, called = {}): string => readCalledWords(words(line), called).join(' ');
const image = { TANZANITE_IMAGE: '/data' };

/** The address and the data folder of a start with this command line. */
async function placeOf(line: string, environment: Environment = {}): Promise<string> {
  const { settings } = await readImageCommandLine(words(line), environment);
  return `${settings.host} ${settings.location ?? settings.store ?? 'memory'}`;
}

/** The environment variable that names a settings file. */
function settingsFile(members: object): Environment {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'tanzanite.json');
  writeFileSync(file, JSON.stringify(members));
  return { TANZANITE_CONFIG: file };
}

describe('the command of the image', () => {
  it.each([
    ['', ''],
    ['start --silent', 'start --silent'],
    ['azurite', ''],
    ['azurite-table -l data', '-l data'],
    ['tanzanite azurite --location=/workspace', '--location=/workspace'],
    ['explain x', 'explain x'],
    ['tanzanite health --quiet', 'health --quiet'],
  ])('equals for %j this command of the package: %j', (line, expected) => {
    expect(read(line)).toBe(expected);
  });

  it.each([
    ['', '0.0.0.0 /data'],
    ['start --silent', '0.0.0.0 /data'],
    ['azurite', '0.0.0.0 /data'],
    ['azurite-table -l data', '0.0.0.0 data'],
    ['tanzanite --tableHost ::', ':: /data'],
    ['--table-host=127.0.0.1', '127.0.0.1 /data'],
    ['azurite --inMemoryPersistence', '0.0.0.0 memory'],
    ['--no-inMemoryPersistence', '0.0.0.0 /data'],
    ['--store postgres://db/tables', '0.0.0.0 postgres://db/tables'],
  ])(
    'listens on all addresses and stores in the volume for %j, unless its flags say otherwise',
    async (line, place) => {
      expect(await placeOf(line)).toBe(place);
    },
  );

  it.each([
    [{ TANZANITE_TABLE_HOST: '::', TANZANITE_LOCATION: '/keep' }, ':: /keep'],
    [{ TANZANITE_IN_MEMORY_PERSISTENCE: 'true' }, '0.0.0.0 memory'],
    [{ TANZANITE_STORE: 'postgres://db/tables' }, '0.0.0.0 postgres://db/tables'],
  ])('does not override variables: %j', async (environment, place) => {
    expect(await placeOf('', environment as unknown as Environment)).toBe(place);
  });

  it.each([
    [{ tableHost: '::1', location: '/keep' }, '::1 /keep'],
    [{ inMemoryPersistence: true }, '0.0.0.0 memory'],
    [{ store: 'postgres://db/tables' }, '0.0.0.0 postgres://db/tables'],
  ])('does not override the settings file: %j', async (members, place) => {
    expect(await placeOf('', settingsFile(members))).toBe(place);
  });

  it('is not an image without its variable', async () => {
    const { settings } = await readCommandLine([]);
    expect(settings).toMatchObject({ host: '127.0.0.1', location: 'tanzanite-data' });
  });
});

describe('the command of the image with Azurite', () => {
  it.each([
    ['azurite', '', 'azurite'],
    ['azurite', '-l /workspace', 'azurite -l /workspace'],
    ['azurite', 'azurite --blobHost ::', 'azurite --blobHost ::'],
    ['azurite', 'health --quiet', 'health --quiet'],
    ['azurite', 'tanzanite --silent', '--silent'],
    ['azurite', 'azurite-table', ''],
    ['azurite-blob', '--blobPort 1', 'azurite-blob --blobPort 1'],
  ])('starts the program of the name %s for %j', (program, line, expected) => {
    expect(read(line, { program, hasAzurite: true })).toBe(expected);
  });

  it.each([
    ['azurite-blob', 'azurite-blob --blobHost 0.0.0.0 --location /data'],
    ['azurite-blob --blob-host ::', 'azurite-blob --location /data --blob-host ::'],
    ['azurite-queue -l kept', 'azurite-queue --queueHost 0.0.0.0 -l kept'],
    ['azurite-queue --queueHost=::1 --inMemoryPersistence', 'azurite-queue --queueHost=::1 --inMemoryPersistence'],
  ])('passes its defaults to a program of Azurite, which reads no variables, as flags: %s', (line, expected) => {
    const environment = { ...image, TANZANITE_LOCATION: '/mnt', TANZANITE_IN_MEMORY_PERSISTENCE: 'true' };
    expect(readServer(words(line), environment)?.words.join(' ')).toBe(expected);
  });
});

describe('the files of a server in the image', () => {
  const filesOf = (line: string, environment: Environment = {}): object | undefined =>
    readServer(words(line), { ...environment, ...image })?.files;

  it.each<[string, Environment, object]>([
    ['', {}, { location: '/data' }],
    ['-d log -l kept', { TANZANITE_CERT: 'c' }, { location: 'kept', debug: 'log', cert: 'c' }],
    ['azurite --blobPort 0 --key=k', {}, { location: '/data', key: 'k' }],
    ['--inMemoryPersistence', { TANZANITE_LOCATION: '/keep' }, {}],
    ['azurite-blob --cert c --key k', { TANZANITE_DEBUG: 'log' }, { location: '/data', cert: 'c', key: 'k' }],
    ['azurite-queue --cert=c --key k -l kept', {}, { location: 'kept', cert: 'c', key: 'k' }],
    ['--help', {}, {}],
    ['--tablePort x', {}, {}],
  ])('are those in its settings: %j %j', (line, environment, files) => {
    expect(filesOf(line, environment)).toEqual(files);
  });

  it('do not exist for another command', () => {
    for (const line of ['health --quiet', 'entity query People', 'constructor']) expect(filesOf(line)).toBeUndefined();
  });

  it('may be in the settings file too, which is trusted if only root may write it', () => {
    const { TANZANITE_CONFIG: file = '', ...rest } = settingsFile({ debug: '/log', key: '/key' });
    const server = readServer(['--debug', '/own'], { ...rest, ...image, TANZANITE_CONFIG: file });
    const untrusted = process.getuid?.() === 0 ? [] : ['key'];
    expect(server).toMatchObject({ files: { debug: '/own', key: '/key' }, config: file, untrusted });
  });

  it('are replaced by their copies in every form of a flag', () => {
    const server = readServer(words('azurite --cert c --key=k --silent'), image);
    expect(server && withCopies(server, { key: 'copy' }).join(' ')).toBe('azurite --cert c --silent --key copy');
    expect(server && withCopies(server, {})).toEqual(server?.words);
  });
});

describe('the address at which the commands of a container find its emulator', () => {
  const find = (line: string, environment: Environment = {}): string =>
    readUrl(readProcessWords(words(line)), { ...environment, ...image });

  it.each([
    ['node /usr/local/bin/tanzanite', 'http://127.0.0.1:10002'],
    ['node /usr/local/bin/tanzanite --tablePort 11 --tablePort=12', 'http://127.0.0.1:12'],
    ['node /usr/local/bin/tanzanite start --table-port 11', 'http://127.0.0.1:11'],
    ['node /usr/local/bin/tanzanite azurite --tableHost :: -s', 'http://[::1]:10002'],
    ['node /usr/local/bin/tanzanite --tableHost fd00::2', 'http://[fd00::2]:10002'],
    ['node /usr/local/bin/tanzanite --tablePort x', 'http://127.0.0.1:10002'],
    [
      '/sbin/docker-init -- tanzanite --tableHost 127.0.0.1 -l /data --cert /c.pem --key /k.pem',
      'https://127.0.0.1:10002',
    ],
    ['sleep infinity', 'http://127.0.0.1:10002'],
  ])('is the address at which its first process listens: %s', (line, expected) => {
    expect(find(line)).toBe(expected);
  });

  it('is the address that variables and the settings file set', () => {
    const environment = { TANZANITE_TABLE_PORT: '11', TANZANITE_CERT: '/c.pem', TANZANITE_TABLE_HOST: '::' };
    expect(find('tanzanite', environment)).toBe('https://[::1]:11');
    expect(find('sleep infinity', environment)).toBe('https://[::1]:11');
    const file = settingsFile({ tablePort: 12, cert: 'c.pem' });
    expect(find('tanzanite', file)).toBe('https://127.0.0.1:12');
    expect(find('tanzanite --tablePort 13', file)).toBe('https://127.0.0.1:13');
  });
});
