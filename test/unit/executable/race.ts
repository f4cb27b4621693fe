// Usage: race.ts PLACE VERSION. Unpacks the version forty times, and each time removes other versions. At the end,
// prints whether the files of the unpacked version were always complete.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { markOf } from '../../../src/executable/in-use.ts';
import { removeOtherVersions } from '../../../src/executable/other-versions.ts';
import { unpackInto } from '../../../src/executable/unpack.ts';

const [, , place = '', version = ''] = process.argv;
const text = version.repeat(100_000);
const files = ['a.js', 'b/c.js'].map((path) => ({
  path,
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
}));
const pack = { version, files, contents: () => Buffer.from(text + text) };
process.setMaxListeners(100);
let outcome = 'whole';
for (let run = 0; run < 40; run += 1) {
  const folder = unpackInto(place, pack);
  removeOtherVersions({ folder, place }, Date.now());
  for (const { path } of files) {
    try {
      if (readFileSync(join(folder, path), 'utf8') !== text) outcome = `${path} is altered`;
    } catch (error) {
      outcome = (error as Error).message;
    }
  }
  // The end of a process does the same: from now on, other processes may remove this version.
  rmSync(join(place, '.in-use', markOf(basename(folder), process.pid)));
}
console.log(outcome);
