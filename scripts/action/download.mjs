// Downloads the archive of a release once, verifies the archive's SHA-256, and keeps the executable in the runner's
// tool cache.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpack } from './unpack.mjs';
import { UnusableStep } from './workflow.mjs';

/** The release that belongs to this version of the action. The file is filled in when a release is made. */
const known = JSON.parse(readFileSync(new URL('releases.json', import.meta.url), 'utf8'));
const archiveBytesMax = 300_000_000;
const sumsBytesMax = 100_000;

/**
 * Returns the path of the executable that has the version `wanted`. If `wanted` is empty, the version is the action's
 * own version. Throws UnusableStep, for example if a download receives no data for `stalledAfterMs`.
 */
export async function downloadExecutable(wanted, { stalledAfterMs = 60_000, platform = platformName() } = {}) {
  const version = wanted || known.version;
  const address = releaseAddress(version);
  const { name, sha256 } = await findArchive({ version, address, platform, stalledAfterMs });
  const isZip = name.endsWith('.zip');
  const program = isZip ? 'tanzanite.exe' : 'tanzanite';
  const cache = join(process.env['RUNNER_TOOL_CACHE'] || process.env['RUNNER_TEMP'] || tmpdir(), 'tanzanite');
  const folder = join(cache, `${version}-${sha256.slice(0, 16)}`);
  const path = join(folder, program);
  if (existsSync(path)) return path;
  const source = `${address}/${name}`;
  const archive = await get(source, { bytesMax: archiveBytesMax, stalledAfterMs });
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== sha256) throw new UnusableStep(`${source} has the SHA-256 ${found}; the release says ${sha256}.`);
  let contents;
  try {
    contents = unpack(archive, { name: program, isZip });
  } catch (error) {
    throw new UnusableStep(`${source} cannot be unpacked: ${error.message}.`);
  }
  keep(contents, { cache, folder, program });
  return path;
}

/**
 * Writes the executable into a temporary folder, and renames the folder when the file is complete. Several jobs may
 * therefore call this function at the same time.
 */
function keep(contents, { cache, folder, program }) {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.downloading-'));
  try {
    writeFileSync(join(work, program), contents, { mode: 0o755, flush: true });
    renameSync(work, folder);
  } catch (error) {
    // Another job has stored it first, or there is no space.
    if (!existsSync(join(folder, program))) throw new UnusableStep(`${folder} cannot be written: ${error.message}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Returns the address of the folder that contains the files of the release. If TANZANITE_DOWNLOAD contains the address
 * of a mirror, returns that address. Without a mirror, the address is based on `known`. Before the action is released,
 * `known` contains no address. In this case, the address is below the releases of the action's own repository.
 */
function releaseAddress(version) {
  const mirror = process.env['TANZANITE_DOWNLOAD'];
  if (mirror) return mirror.replace(/\/+$/, '');
  if (version === known.version && known.url) return known.url;
  const server = process.env['GITHUB_SERVER_URL'] || 'https://github.com';
  const repository = process.env['GITHUB_ACTION_REPOSITORY'];
  const releases = known.url?.replace(/\/[^/]+$/, '') ?? (repository && `${server}/${repository}/releases/download`);
  if (!releases) {
    throw new UnusableStep(
      `no release ${version} is known to download: let the input executable name one that you built.`,
    );
  }
  return `${releases}/v${version}`;
}

/** The action knows the SHA-256 of the release that belongs to it. For another release, it reads SHA256SUMS. */
async function findArchive({ version, address, platform, stalledAfterMs }) {
  const file = version === known.version ? known.files[platform] : undefined;
  if (file) return file;
  const sums = await get(`${address}/SHA256SUMS`, {
    bytesMax: sumsBytesMax,
    stalledAfterMs,
    missing: `there is no release ${version}`,
  });
  for (const [, sha256, name] of sums.toString().matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)) {
    if (name === `tanzanite-${platform}.tar.gz` || name === `tanzanite-${platform}.zip`) return { name, sha256 };
  }
  throw new UnusableStep(`release ${version} has no executable for ${platform}.`);
}

async function get(source, { bytesMax, stalledAfterMs, missing }) {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error(`no data for ${stalledAfterMs / 1000} s`)), stalledAfterMs);
  const parts = [];
  let bytes = 0;
  try {
    const response = await fetch(source, { signal: stalled.signal });
    if (response.status === 404 && missing) throw new UnusableStep(`${missing} at ${source}.`);
    if (!response.ok)
      throw new UnusableStep(`the download of ${source} got ${response.status} ${response.statusText}.`);
    for await (const part of response.body ?? []) {
      timer.refresh();
      bytes += part.length;
      if (bytes > bytesMax) throw new UnusableStep(`${source} is larger than ${bytesMax} bytes.`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof UnusableStep) throw error;
    throw new UnusableStep(
      `the download of ${source} stopped: ${error.cause?.message || error.cause?.code || error.message}.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

function platformName() {
  return `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
}
