import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createPrivateFile,
  PrivateFileFault,
  readPrivateFile,
  replacePrivateFile,
} from '../../../src/identity/private-files.ts';
import { bundleSource } from '../../support/bundle-source.ts';
import { canFailDisks, prepareDiskFaults } from '../../support/disk-faults/disk-faults.ts';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const isWindows = process.platform === 'win32';
const isRoot = process.getuid?.() === 0;

let root: string;
let folder: string;
let path: string;

beforeEach(() => {
  const made = temporaryFolder();
  root = made.path;
  folder = join(root, 'keys');
  path = join(folder, 'key.pem');
  return made.remove;
});

/** The message of the error that a function throws. It must be one line. */
function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(PrivateFileFault);
    const { message } = error as Error;
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error('it did not throw');
}

const modeOf = (of: string): string => (statSync(of).mode & 0o777).toString(8);

describe('A private file', () => {
  it('is absent until it is created, and then contains the bytes', () => {
    expect(readPrivateFile(path)).toBeUndefined();
    expect(createPrivateFile(path, 'first')).toEqual(Buffer.from('first'));
    expect(readPrivateFile(path)).toEqual(Buffer.from('first'));
    expect(readdirSync(folder)).toEqual(['key.pem']);
  });

  it.skipIf(isWindows)('has mode 600 in a folder of mode 700, whatever the umask', () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    createPrivateFile(path, 'first');
    expect([modeOf(folder), modeOf(path)]).toEqual(['700', '600']);
    replacePrivateFile(path, 'second');
    expect(modeOf(path)).toBe('600');
  });

  it('keeps its first bytes when it is created a second time', () => {
    createPrivateFile(path, 'first');
    expect(createPrivateFile(path, 'second')).toEqual(Buffer.from('first'));
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(folder)).toEqual(['key.pem']);
  });

  it('contains other bytes after it is replaced', () => {
    replacePrivateFile(path, 'first');
    replacePrivateFile(path, 'second');
    expect(readPrivateFile(path)).toEqual(Buffer.from('second'));
    expect(readdirSync(folder)).toEqual(['key.pem']);
  });

  it('is refused if it is larger than a megabyte', () => {
    createPrivateFile(path, 'x'.repeat(1024 * 1024 + 1));
    expect(faultOf(() => readPrivateFile(path))).toBe(`${path} is larger than 1048576 bytes.`);
  });
});

describe.skipIf(isWindows)('A private file is refused', () => {
  it('if it is a symbolic link, even to a private file', () => {
    const target = join(root, 'other', 'key.pem');
    createPrivateFile(target, 'other');
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(target, path);
    expect(faultOf(() => readPrivateFile(path))).toBe(`${path} is a symbolic link. Put the file in its place.`);
    expect(faultOf(() => createPrivateFile(path, 'mine'))).toContain('is a symbolic link');
    expect(readFileSync(target, 'utf8')).toBe('other');
  });

  it('if it is a symbolic link to nothing, which creation does not follow', () => {
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(join(root, 'elsewhere'), path);
    expect(faultOf(() => createPrivateFile(path, 'mine'))).toContain('is a symbolic link');
    expect(readdirSync(root)).toEqual(['keys']);
  });

  it('if its folder is a symbolic link', () => {
    createPrivateFile(join(root, 'other', 'key.pem'), 'other');
    symlinkSync(join(root, 'other'), folder);
    const message = `${folder} is a symbolic link. Name the folder that it points to.`;
    expect(faultOf(() => readPrivateFile(path))).toBe(message);
    expect(faultOf(() => createPrivateFile(path, 'mine'))).toBe(message);
    expect(faultOf(() => replacePrivateFile(path, 'mine'))).toBe(message);
    expect(readFileSync(join(root, 'other', 'key.pem'), 'utf8')).toBe('other');
  });

  it.each(['770', '707', '777'])('if others can write to its folder: mode %s', (mode) => {
    createPrivateFile(path, 'first');
    chmodSync(folder, Number.parseInt(mode, 8));
    const message = `others can write to ${folder}, which holds private keys. Run: chmod 700 ${folder}`;
    expect(faultOf(() => readPrivateFile(path))).toBe(message);
    expect(faultOf(() => replacePrivateFile(path, 'mine'))).toBe(message);
  });

  it.each(['640', '604', '620', '644', '666'])('if others can use it: mode %s', (mode) => {
    createPrivateFile(path, 'first');
    chmodSync(path, Number.parseInt(mode, 8));
    expect(faultOf(() => readPrivateFile(path))).toBe(
      `others can use ${path}, which holds a private key. Run: chmod 600 ${path}`,
    );
  });

  it.skipIf(!isRoot)('if it, or its folder, belongs to another user', () => {
    createPrivateFile(path, 'first');
    chownSync(path, 12_345, 0);
    expect(faultOf(() => readPrivateFile(path))).toContain(`${path} belongs to another user (uid 12345;`);
    chownSync(path, 0, 0);
    chownSync(folder, 12_345, 0);
    expect(faultOf(() => readPrivateFile(path))).toContain(`${folder} belongs to another user (uid 12345;`);
    expect(faultOf(() => createPrivateFile(path, 'mine'))).toContain('belongs to another user');
  });

  it('if it is a folder or a named pipe, for which the start does not wait', () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    expect(faultOf(() => readPrivateFile(path))).toBe(`${path} is not a file.`);
    const pipe = join(folder, 'pipe');
    makeNamedPipe(pipe);
    expect(faultOf(() => readPrivateFile(pipe))).toBe(`${pipe} is not a file.`);
  });

  it('if its folder is a file', () => {
    writeFileSync(folder, '');
    expect(faultOf(() => createPrivateFile(path, 'mine'))).toBe(`${folder} is not a folder.`);
  });
});

it.skipIf(isWindows)(
  'A second name of a file, such as a start leaves that was killed while it created the file, does no harm',
  () => {
    createPrivateFile(path, 'first');
    linkSync(path, join(folder, '.key.pem.0.tmp'));
    expect(createPrivateFile(path, 'second')).toEqual(Buffer.from('first'));
    replacePrivateFile(path, 'third');
    expect(readPrivateFile(path)).toEqual(Buffer.from('third'));
  },
);

describe('A process that was killed while it wrote the file', () => {
  /** Runs a process that is killed at one of the system calls that create the file. */
  const killedWrite = async (call: 'fsyncSync' | 'linkSync' | 'unlinkSync'): Promise<void> => {
    const module = await bundleSource('identity/private-files.ts', root);
    const program = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const [, module, path, call] = process.argv;
      fs[call] = () => process.kill(process.pid, 'SIGKILL');
      syncBuiltinESMExports();
      (await import(module)).createPrivateFile(path, 'of the killed one');`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program, module, path, call]);
    expect(signal).toBe('SIGKILL');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toHaveLength(1);
  };

  it.skipIf(isWindows).each(['fsyncSync', 'linkSync'] as const)(
    'leaves nothing after the next process has written the file: %s',
    async (call) => {
      await killedWrite(call);
      expect(readPrivateFile(path)).toBeUndefined();
      expect(readdirSync(folder)).toEqual([]);
      await killedWrite(call);
      createPrivateFile(path, 'of the next one');
      expect(readdirSync(folder)).toEqual(['key.pem']);
      expect(readPrivateFile(path)).toEqual(Buffer.from('of the next one'));
    },
  );

  it.skipIf(isWindows)('leaves the file unchanged after it has its final name', async () => {
    await killedWrite('unlinkSync');
    expect(readPrivateFile(path)).toEqual(Buffer.from('of the killed one'));
    expect(readdirSync(folder)).toEqual(['key.pem']);
  });

  it('does not cause the removal of files of a running process or with another name', () => {
    createPrivateFile(path, 'mine');
    const tag = '0123456789abcdef';
    const kept = [`.key.pem.${process.ppid}.${tag}.tmp`, `.key.pe.${process.pid}.${tag}.tmp`, '.key.pem.1.tmp'];
    for (const name of kept) writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, `.key.pem.${process.pid}.${tag}.tmp`), '');
    replacePrivateFile(path, 'mine too');
    expect(readdirSync(folder).sort()).toEqual([...kept, 'key.pem'].sort());
  });
});

describe('Processes that create the same file at the same time', () => {
  it('all get the bytes of one of them', async () => {
    const module = await bundleSource('identity/private-files.ts', root);
    const program = `
      const { createPrivateFile } = await import(process.argv[1]);
      const got = [];
      process.stdin.once('data', () => {
        for (let at = 0; at < 50; at++) got.push(createPrivateFile(process.argv[2] + at, process.pid + ' ' + at).toString());
        process.stdout.write(JSON.stringify(got));
        process.stdin.destroy();
      });
      process.stderr.write('ready');`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', program, module, path]),
    );
    onTestFinished(() => children.forEach((child) => void child.kill()));
    await Promise.all(children.map((child) => new Promise((resolve) => child.stderr.once('data', resolve))));
    for (const child of children) child.stdin.end('go');
    const [first, ...others] = await Promise.all(children.map(async ({ stdout }) => JSON.parse(await text(stdout))));
    expect(first).toHaveLength(50);
    for (const other of others) expect(other).toEqual(first);
    expect(first).toEqual(Array.from({ length: 50 }, (_, at) => readFileSync(path + at, 'utf8')));
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('A disk that fails', () => {
  it.skipIf(!canFailDisks()).each([
    ['open', 'EIO'],
    ['write', 'EIO'],
    ['write', 'ENOSPC'],
    ['sync', 'EIO'],
  ] as const)('leaves no file and one line: %s %s', async (call, error) => {
    const module = await bundleSource('identity/private-files.ts', root);
    const faults = prepareDiskFaults(root);
    const program = `
      const { createPrivateFile } = await import(process.argv[1]);
      try { createPrivateFile(process.argv[2], 'secret'); } catch (error) { process.stdout.write(error.message); }`;
    const run = (): string =>
      execFileSync(process.execPath, ['--input-type=module', '-e', program, module, path], {
        env: { ...process.env, ...faults.env },
        encoding: 'utf8',
      });
    mkdirSync(folder, { mode: 0o700 });
    faults.begin({ calls: [call], error, count: 1, path: folder });
    expect(run()).toMatch(new RegExp(`^cannot write ${path}: ${error}: [^\n]*$`));
    expect(readdirSync(folder)).toEqual([]);
    faults.end();
    expect(run()).toBe('');
    expect(readFileSync(path, 'utf8')).toBe('secret');
  });

  const disk = mountSmallDisk(1);
  afterEach(() => disk?.free());

  it.skipIf(!disk)('keeps the old bytes when it is full', () => {
    if (!disk) return;
    onTestFinished(() => disk.remove());
    const file = join(disk.path, 'keys', 'key.pem');
    replacePrivateFile(file, 'old');
    disk.fill();
    expect(faultOf(() => replacePrivateFile(file, randomBytes(100_000)))).toMatch(/^cannot write .*ENOSPC/);
    expect(readPrivateFile(file)).toEqual(Buffer.from('old'));
    expect(readdirSync(join(disk.path, 'keys'))).toEqual(['key.pem']);
  });
});
