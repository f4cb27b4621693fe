// Describes the machine on which the bench runs.
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { describeAzurite, projectFolder } from './servers.mjs';

// Disk space per entity: for the entity itself, for the write-ahead log, and for what the rows add.
const diskBytesEach = 6_000;

export function describeMachine() {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: `${processors.length} × ${processors[0]?.model.trim()}`,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    azurite: describeAzurite(),
    commit: readCommit(),
    loadBefore: loadavg()[0],
  };
}

// Why the disk or the memory is too small for a table of this many entities, or undefined if there is room.
export function findLackOfRoom(entities) {
  const { bavail, bsize } = statfsSync(tmpdir());
  const bytes = entities * diskBytesEach;
  return bavail * bsize < bytes
    ? `too little room in ${tmpdir()}: ${(bytes / 1e9).toFixed(1)} GB are needed`
    : undefined;
}

function readCommit() {
  const git = (...args) => execFileSync('git', ['-C', projectFolder, ...args], { encoding: 'utf8' }).trim();
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', 'src') ? ', with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}
