// The simulated disk, and what remains of files when the power is lost.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { canFailDisks, compileDiskFaults } from '../../support/disk-faults/disk-faults.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const isPossible = canFailDisks();
if (!isPossible) console.warn('the simulated disk: skipped, it needs Linux and a C compiler');

const crashed = 86;
const seeds = Array.from({ length: 12 }, (_, at) => at);

describe.skipIf(!isPossible)('The simulated disk', { timeout: 300_000 }, () => {
  let library: string;
  let above: string;
  let count = 0;

  beforeAll(() => {
    const made = temporaryFolder();
    above = made.path;
    library = compileDiskFaults(above);
    return () => made.remove();
  });

  /** Runs a program in an empty folder. In the program, `tell` sends a command to the disk. */
  function run(program: string): { readonly status: number | null; readonly folder: string; readonly log: string } {
    const folder = join(above, `disk-${++count}`);
    mkdirSync(folder);
    const log = `${folder}.log`;
    const source = `
      const fs = require('node:fs');
      const at = (name) => ${JSON.stringify(folder)} + '/' + name;
      const tell = (text) => { try { fs.openSync('/simulated-disk/' + text); } catch {} };
      const sync = (path) => { const fd = fs.openSync(path); fs.fsyncSync(fd); fs.closeSync(fd); };
      const make = (name) => fs.openSync(at(name), 'w+');
      const put = (fd, letter, place) => fs.writeSync(fd, letter.repeat(2048), place);
      ${program}`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', source], {
      env: { ...process.env, LD_PRELOAD: library, DISK_FAULTS_FOLDER: folder, DISK_FAULTS_LOG: log },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return { status, folder, log: readFileSync(log, 'utf8') };
  }

  it('keeps synced data, and any of the other writes, completely or only some of their sectors', () => {
    const left = seeds.map((seed) => {
      const { status, folder } = run(`
        const fd = make('a.sqlite');
        put(fd, 'a', 0); put(fd, 'a', 2048); fs.fsyncSync(fd); sync(at('.'));
        put(fd, 'b', 0); put(fd, 'c', 2048); put(fd, 'd', 4096);
        tell('cut ${seed}');`);
      expect(status).toBe(crashed);
      return readFileSync(join(folder, 'a.sqlite'), 'latin1');
    });
    for (const text of left) {
      const sectors = text.match(/.{512}/gs) ?? [];
      expect(sectors.slice(0, 4).every((sector) => /^(a+|b+)$/.test(sector))).toBe(true);
      expect(sectors.slice(4, 8).every((sector) => /^(a+|c+)$/.test(sector))).toBe(true);
      expect(sectors.slice(8).every((sector) => /^(\0+|d+)$/.test(sector))).toBe(true);
    }
    const isTorn = (text: string): boolean => /a/.test(text.slice(0, 2048)) && /b/.test(text.slice(0, 2048));
    expect(new Set(left).size).toBeGreaterThan(4);
    expect(left.some(isTorn)).toBe(true);
    expect(left.some((text) => text === 'a'.repeat(4096))).toBe(true);
  });

  it('loses files that were created and brings back files that were deleted, up to the last sync of the folder', () => {
    const left = seeds.map((seed) => {
      const { folder } = run(`
        fs.fsyncSync(make('old.sqlite')); fs.fsyncSync(make('kept.sqlite')); sync(at('.'));
        fs.unlinkSync(at('old.sqlite')); make('new.sqlite');
        tell('cut ${seed}');`);
      return ['kept', 'old', 'new'].filter((name) => existsSync(join(folder, `${name}.sqlite`))).join(' ');
    });
    expect([...new Set(left)].sort()).toEqual(['kept', 'kept new', 'kept old']);
  });

  it('keeps everything if only the process ends, in the middle of a call', () => {
    const { status, folder, log } = run(`
      const fd = make('a.sqlite');
      tell('crash 2 write kill 5');
      put(fd, 'a', 0); put(fd, 'b', 0); put(fd, 'c', 0);`);
    expect(status).toBe(crashed);
    expect(readFileSync(join(folder, 'a.sqlite'), 'latin1')).toMatch(/^b*a*$/);
    expect(log.split('\n').map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'open a.sqlite',
      'write a.sqlite',
      'write a.sqlite',
      '',
    ]);
    expect(log).toContain('killed');
  });

  it('makes calls fail, and loses no more than they report', () => {
    const { status, log } = run(`
      const fd = make('a.sqlite');
      const outcomes = [];
      tell('fail 2 2 write,sync EIO 1');
      for (const work of [() => put(fd, 'a', 0), () => put(fd, 'b', 0), () => fs.fsyncSync(fd), () => fs.fsyncSync(fd)])
        try { work(); outcomes.push('done'); } catch (error) { outcomes.push(error.code); }
      if (outcomes.join() !== 'done,EIO,EIO,done') throw new Error(outcomes.join());
      tell('save');`);
    expect(status).toBe(0);
    expect(log.match(/failed/g)).toHaveLength(2);
  });
});
