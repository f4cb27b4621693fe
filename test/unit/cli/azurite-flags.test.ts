import { describe, expect, it } from 'vitest';
import { azuriteWords, tableWords } from '../../../src/cli/azurite-flags.ts';

const split = (line: string): string[] => line.split(' ').filter(Boolean);
const tables = (line: string): string => tableWords(split(line)).join(' ');
const blob = (line: string): string => azuriteWords('blob', split(line), './data').join(' ');
const queue = (line: string): string => azuriteWords('queue', split(line), './data').join(' ');
const telemetry = '--disableTelemetry';

describe('a command line of azurite', () => {
  const line =
    '-s -l /d --blobHost 0.0.0.0 --blobPort=1 --queueHost 0.0.0.0 --queuePort 2 --tableHost 0.0.0.0 --tablePort 3 --throttle off';

  it('passes to the table server all flags except those of blobs and queues', () => {
    expect(tables(line)).toBe('-s -l /d --tableHost 0.0.0.0 --tablePort 3 --throttle off');
  });

  it('passes to blobs and queues the flags that their servers accept', () => {
    expect(blob(line)).toBe(`${telemetry} --silent --location /d --blobHost 0.0.0.0 --blobPort 1`);
    expect(queue(line)).toBe(`${telemetry} --silent --location /d --queueHost 0.0.0.0 --queuePort 2`);
  });

  it('accepts each flag in both spellings', () => {
    const line = '--blob-host ::1 --queue-port=2 --table-port 3 --in-memory-persistence --disable-telemetry';
    expect(tables(line)).toBe('--table-port 3 --in-memory-persistence');
    expect(blob(line)).toBe(`${telemetry} --blobHost ::1 --inMemoryPersistence`);
    expect(queue(line)).toBe(`${telemetry} --queuePort 2 --inMemoryPersistence`);
  });

  it('passes the certificate and the debug file to all servers', () => {
    const secure = '--cert c.pem --key k.pem --pwd p -d debug.log';
    expect(tables(secure)).toBe(secure);
    const expected = `${telemetry} --cert c.pem --key k.pem --pwd p --debug debug.log --location ./data`;
    expect([blob(secure), queue(secure)]).toEqual([expected, expected]);
  });

  it('passes the folder of the tables on if it names none itself', () => {
    expect([tables(''), blob('')]).toEqual(['', `${telemetry} --location ./data`]);
  });

  it('passes no folder together with --inMemoryPersistence, because Azurite refuses that', () => {
    expect(blob('--inMemoryPersistence -l /d --extentMemoryLimit 64')).toBe(
      `${telemetry} --inMemoryPersistence --extentMemoryLimit 64`,
    );
    expect(tables('--inMemoryPersistence --extentMemoryLimit 64')).toBe('--inMemoryPersistence');
  });

  it('uses the last value of a flag that is given twice', () => {
    expect(blob('--blobPort 1 --blobPort=2')).toBe(`${telemetry} --blobPort 2 --location ./data`);
  });

  it('keeps --queueKeepAliveTimeout from the queue server, which refuses it', () => {
    expect(queue('--blobKeepAliveTimeout 5 --queueKeepAliveTimeout 5')).toBe(`${telemetry} --location ./data`);
    expect(blob('--blobKeepAliveTimeout 5')).toBe(`${telemetry} --blobKeepAliveTimeout 5 --location ./data`);
  });

  it('passes on that a switch is off, which a variable could turn on, and a switch without the value true', () => {
    expect(tables('--silent false --loose true')).toBe('--no-silent --loose');
    expect(blob('--silent=false --loose=true')).toBe(`${telemetry} --loose --location ./data`);
  });

  it.each(['basic', 'verify'])(
    'passes --oauth %s to the table server, and basic to the others, which verify nothing',
    (level) => {
      expect([tables(`--oauth ${level}`), blob(`--oauth ${level}`)]).toEqual([
        `--oauth ${level}`,
        `${telemetry} --oauth basic --location ./data`,
      ]);
    },
  );
});
