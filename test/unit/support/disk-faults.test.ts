// The effects of the library that makes calls on files fail, on a process that preloads it.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  canFailDisks,
  type DiskFault,
  type DiskFaults,
  prepareDiskFaults,
} from '../../support/disk-faults/disk-faults.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const isPossible = canFailDisks();
if (!isPossible) console.warn('faults of the disk: skipped, they need Linux and a C compiler');

/**
 * A program that writes to a file four times, then syncs, truncates, reads and renames the file. It prints the outcome
 * of each call.
 */
const program = `
  const fs = require('node:fs');
  const file = process.argv[1];
  const outcomes = [];
  const attempt = (work) => {
    try { work(); outcomes.push('done'); } catch (error) { outcomes.push(error.code); }
  };
  let fd;
  attempt(() => { fd = fs.openSync(file, 'r+'); });
  for (let at = 0; at < 4; at++) attempt(() => fs.writeSync(fd, 'x', at));
  attempt(() => fs.fsyncSync(fd));
  attempt(() => fs.ftruncateSync(fd, 2));
  attempt(() => fs.readSync(fd, Buffer.alloc(2), 0, 2, 0));
  attempt(() => fs.renameSync(file, file + '.2'));
  attempt(() => fs.unlinkSync(file + '.2'));
  console.log(outcomes.join(' '));
`;

describe.skipIf(!isPossible)('A process that preloads the faults of the disk', () => {
  let faults: DiskFaults;
  let folder: string;

  beforeAll(() => {
    const made = temporaryFolder();
    folder = made.path;
    faults = prepareDiskFaults(folder);
    return () => made.remove();
  });

  const outcomesWith = (name: string, ...list: readonly DiskFault[]): string => {
    const file = join(folder, name);
    writeFileSync(file, 'text');
    faults.begin(...list);
    onTestFinished(() => faults.end());
    return execFileSync(process.execPath, ['-e', program, file], {
      env: { ...process.env, ...faults.env },
      encoding: 'utf8',
    }).trim();
  };

  it('fails exactly the given number of calls of a kind, beginning with the given one', () => {
    const path = join(folder, 'first');
    expect(outcomesWith('first', { calls: ['write'], error: 'EIO', first: 2, count: 2, path })).toBe(
      'done done EIO EIO done done done done done done',
    );
    expect(faults.hits).toEqual([`write ${path}`, `write ${path}`]);
  });

  it('fails every call of several kinds, with the error of each line', () => {
    const path = join(folder, 'second');
    expect(
      outcomesWith(
        'second',
        { calls: ['sync', 'truncate', 'unlink'], error: 'EIO', path },
        { calls: ['write', 'read'], error: 'ENOSPC', path },
      ),
    ).toBe('done ENOSPC ENOSPC ENOSPC ENOSPC EIO EIO ENOSPC done EIO');
  });

  it('does not affect files with other paths', () => {
    const calls = ['open', 'read', 'write', 'sync', 'truncate', 'unlink', 'rename'] as const;
    expect(outcomesWith('third', { calls, error: 'EIO', path: join(folder, 'fourth') })).not.toContain('EIO');
    expect(outcomesWith('fifth', { calls: ['open'], error: 'EIO', path: join(folder, 'fifth') })).toMatch(/^EIO/);
  });
});
