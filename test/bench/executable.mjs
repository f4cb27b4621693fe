// Compares the executable with Azurite's package: the time of the first start on a machine, the time of later starts,
// and the size of the files.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { timeFirstAnswer } from './first-answer.mjs';
import { executableFile, hasAzurite, projectFolder, startAzurite, startExecutable } from './servers.mjs';
import { quartiles } from './statistics.mjs';

const bench = join(projectFolder, 'test/bench');

export function hasExecutable() {
  return existsSync(executableFile);
}

// Quartiles of the start times in milliseconds, and the sizes of the files in bytes.
export async function measureExecutable({ starts }) {
  const times = { first: [], later: [], azurite: [] };
  for (let at = 0; at < starts; at++) {
    const cache = mkdtempSync(join(tmpdir(), 'tanzanite-bench-'));
    try {
      times.first.push(await timeFirstAnswer(() => startExecutable({ cache })));
      // The second start stores the compiled code, which later starts use.
      await timeFirstAnswer(() => startExecutable({ cache }));
      times.later.push(await timeFirstAnswer(() => startExecutable({ cache })));
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
    if (hasAzurite()) times.azurite.push(await timeFirstAnswer(startAzurite));
  }
  const { first, later, azurite } = times;
  const own = { starts: { first: quartiles(first), later: quartiles(later) }, sizes: sizesOf([executableFile]) };
  return azurite.length === 0 ? { own } : { own, azurite: { starts: quartiles(azurite), sizes: azuriteSizes() } };
}

// Azurite and the packages that it needs, as the lock file lists them, without Node.
function azuriteSizes() {
  const { packages } = JSON.parse(readFileSync(join(bench, 'package-lock.json'), 'utf8'));
  const folders = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  return sizesOf(folders.flatMap(([path]) => filesOf(join(bench, path))));
}

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesOf(join(folder, entry.name));
    return entry.isFile() ? [join(folder, entry.name)] : [];
  });
}

function sizesOf(files) {
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const compressed = gzipSync(Buffer.concat(files.map((file) => readFileSync(file))), { level: 9 }).length;
  return { bytes, compressed, files: files.length };
}
