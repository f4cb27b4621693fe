// Checks the contents of the executables for all platforms. On any machine, `npm run executable` makes the executables
// for all platforms. If there is no executable, all tests are skipped.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../executables', import.meta.url));
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('tanzanite-')) : [];
if (names.length === 0) console.warn('test/executable: skipped, npm run executable makes the executables');

interface Listed {
  readonly version: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

/**
 * Reads an asset of a single executable application. For each asset, Node writes the length of its name, the name, the
 * length of its content, and the content.
 */
function assetOf(program: Buffer, name: string): Buffer {
  const key = Buffer.alloc(8 + name.length);
  key.writeBigUInt64LE(BigInt(name.length));
  key.write(name, 8);
  const at = program.lastIndexOf(key) + key.length;
  expect(at).toBeGreaterThan(key.length);
  return program.subarray(at + 8, at + 8 + Number(program.readBigUInt64LE(at)));
}

/** The kind of program that a file is, by its first bytes. */
function kindOf(program: Buffer): string {
  const machines: Readonly<Record<number, string>> = { 62: 'x64', 183: 'arm64', 34404: 'x64', 43620: 'arm64' };
  if (program.toString('latin1', 0, 4) === '\x7fELF') return `linux-${machines[program.readUInt16LE(18)]}`;
  if (program.toString('latin1', 0, 2) === 'MZ') {
    const header = program.readUInt32LE(0x3c);
    expect(program.toString('latin1', header, header + 4)).toBe('PE\0\0');
    return `win-${machines[program.readUInt16LE(header + 4)]}`;
  }
  // Mach-O: the processor type follows the magic number.
  expect(program.readUInt32LE(0)).toBe(0xfeedfacf);
  return `darwin-${program.readUInt32LE(4) === 0x0100000c ? 'arm64' : 'x64'}`;
}

describe.skipIf(names.length === 0)('the executables', () => {
  it('have the names of their platforms', () => {
    const known = /^tanzanite-(?:(?:linux|darwin)-(?:x64|arm64)|win-x64\.exe)$/;
    expect(names.filter((name) => !known.test(name))).toEqual([]);
  });
});

describe.each(names)('%s', (name) => {
  const platform = name.replace(/^tanzanite-|\.exe$/g, '');
  const program = readFileSync(join(folder, name));
  const { version, files } = JSON.parse(assetOf(program, 'list').toString()) as Listed;
  const contents = brotliDecompressSync(assetOf(program, 'contents'));

  it('is a program for its platform, which Node recognizes as a single executable application', () => {
    expect(kindOf(program)).toBe(platform);
    expect(program.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1')).toBe(true);
  });

  it('contains exactly the files of its list', () => {
    let at = 0;
    for (const file of files) {
      const text = contents.subarray(at, at + file.bytes);
      expect(createHash('sha256').update(text).digest('hex'), file.path).toBe(file.sha256);
      at += file.bytes;
    }
    expect(at).toBe(contents.length);
    expect(version).toBe(JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')).version);
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
    for (const path of [
      'dist/cli.js',
      'dist/console/index.html',
      'package.json',
      'LICENSE',
      'NODE-LICENSE',
      'load.cjs',
    ])
      expect(files.map((file) => file.path)).toContain(path);
  });

  it('contains only the addon of its platform', () => {
    const addons = files.filter(({ path }) => path.endsWith('.node'));
    expect(addons).toHaveLength(1);
    const [addon] = addons;
    const before = files.slice(
      0,
      files.findIndex(({ path }) => path === addon?.path),
    );
    const at = before.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(kindOf(contents.subarray(at, at + (addon?.bytes ?? 0)))).toBe(platform);
  });

  it.runIf(platform.startsWith('win'))('has no signature, because the signature of Node is invalid for it', () => {
    const entry = program.readUInt32LE(0x3c) + 24 + 112 + 8 * 4;
    expect(program.readBigUInt64LE(entry)).toBe(0n);
  });
});
