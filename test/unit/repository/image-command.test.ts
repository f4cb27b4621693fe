import { describe, expect, it } from 'vitest';
import { readUrl, readWords } from '../../../docker/image-command.mjs';

const words = (line: string): string[] => line.split(' ').filter(Boolean);
const read = (line: string): string => readWords(words(line)).join(' ');

describe('the command of the image', () => {
  it.each([
    ['', '--tableHost 0.0.0.0 --location /data'],
    ['--tablePort 0', '--tableHost 0.0.0.0 --location /data --tablePort 0'],
    ['start --silent', 'start --tableHost 0.0.0.0 --location /data --silent'],
    ['azurite', '--tableHost 0.0.0.0 --location /data'],
    ['azurite-table -l data', '--tableHost 0.0.0.0 -l data'],
    ['tanzanite --tableHost ::', '--location /data --tableHost ::'],
    ['tanzanite azurite --location=/workspace', '--tableHost 0.0.0.0 --location=/workspace'],
  ])('listens on all addresses and stores in the volume for %j, unless its flags say otherwise', (line, expected) => {
    expect(read(line)).toBe(expected);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['', { TANZANITE_TABLE_HOST: '::', TANZANITE_LOCATION: '/keep' }, ''],
    ['', { TANZANITE_IN_MEMORY_PERSISTENCE: 'true' }, '--tableHost 0.0.0.0'],
    ['--table-host ::', { TANZANITE_LOG_LEVEL: 'warn' }, '--location /data --table-host ::'],
  ])('leaves to variables what they set: %j %j', (line, environment, expected) => {
    expect(readWords(words(line), { environment }).join(' ')).toBe(expected);
  });

  it('gives a program of Azurite, which reads no variables, its own defaults', () => {
    const environment = { TANZANITE_LOCATION: '/mnt', TANZANITE_IN_MEMORY_PERSISTENCE: 'true' };
    expect(readWords(['azurite-blob'], { environment }).join(' ')).toBe(
      'azurite-blob --blobHost 0.0.0.0 --location /data',
    );
  });

  it('finds its emulator where variables made it listen', () => {
    const environment = { TANZANITE_TABLE_PORT: '11', TANZANITE_CERT: '/c.pem', TANZANITE_TABLE_HOST: '::' };
    expect(readUrl(words('tanzanite'), environment)).toBe('https://[::1]:11');
  });

  it('names no folder with --inMemoryPersistence', () => {
    expect(read('azurite --inMemoryPersistence')).toBe('--tableHost 0.0.0.0 --inMemoryPersistence');
  });

  it.each(['explain x', 'health --quiet', 'wait'])('does not change another command: %s', (line) => {
    expect(read(line)).toBe(line);
    expect(read(`tanzanite ${line}`)).toBe(line);
  });
});

describe('the command of the image with Azurite', () => {
  const all = '--blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0';

  it.each([
    ['azurite', '', `azurite ${all} --location /data`],
    ['azurite', '-l /workspace', `azurite ${all} -l /workspace`],
    ['azurite', `azurite ${all}`, `azurite --location /data ${all}`],
    ['azurite', 'health --quiet', 'health --quiet'],
    ['azurite', 'tanzanite --silent', '--tableHost 0.0.0.0 --location /data --silent'],
    ['azurite', 'azurite-table', '--tableHost 0.0.0.0 --location /data'],
    ['azurite-blob', '--blobPort 1', 'azurite-blob --blobHost 0.0.0.0 --location /data --blobPort 1'],
    ['azurite-queue', '--queueHost ::1', 'azurite-queue --location /data --queueHost ::1'],
  ])('starts as %s, for %j, what that name stands for', (program, line, expected) => {
    expect(readWords(words(line), { program, hasAzurite: true }).join(' ')).toBe(expected);
  });
});

describe('the address at which the commands of a container find its emulator', () => {
  it.each([
    ['node /usr/local/bin/tanzanite', 'http://127.0.0.1:10002'],
    ['node /usr/local/bin/tanzanite --tablePort 11 --tablePort=12', 'http://127.0.0.1:12'],
    ['node /usr/local/bin/tanzanite azurite --tableHost :: -s', 'http://[::1]:10002'],
    ['node /usr/local/bin/tanzanite --tableHost fd00::2', 'http://[fd00::2]:10002'],
    [
      '/sbin/docker-init -- tanzanite --tableHost 127.0.0.1 -l /data --cert /c.pem --key /k.pem',
      'https://127.0.0.1:10002',
    ],
    ['sleep infinity', 'http://127.0.0.1:10002'],
  ])('is where its first process listens: %s', (line, expected) => {
    expect(readUrl(words(line))).toBe(expected);
  });
});
