// Packages and places for tests of unpacking.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { digestOf, type Pack } from '../../../src/executable/pack.ts';

export function packOf(texts: Readonly<Record<string, string | Buffer>>, version = '1.0.0'): Pack {
  const contents = Object.values(texts).map((text) => Buffer.from(text));
  const files = Object.keys(texts).map((path, at) => {
    const text = contents[at] ?? Buffer.alloc(0);
    return { path, bytes: text.length, sha256: digestOf(text) };
  });
  return { version, files, contents: () => Buffer.concat(contents) };
}

/** A path in a new folder. Nothing exists at the path yet. */
export function newPlace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tanzanite-executable-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'place');
}

export const visible = (place: string): string[] => readdirSync(place).filter((name) => name !== '.in-use');
