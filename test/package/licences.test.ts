import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { collectLicences } from '../../scripts/licences.mjs';
import { root } from './unpacked-package.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function packageWith(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'tanzanite-licences-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, name: 'planted', version: '1.0.0' };
}

describe('the licences in the package', () => {
  it('contain the licence text of every bundled package', () => {
    const { components } = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'));
    const sections = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8').split(`\n${'-'.repeat(80)}\n\n`);
    const bundled = components.filter(({ name }: { name: string }) => name !== 'better-sqlite3');
    const nameOf = ({ group, name, version }: Record<string, string>) =>
      `${group ? `${group}/` : ''}${name} ${version}`;
    expect(sections.map((section) => section.split('\n')[0])).toEqual(bundled.map(nameOf));
    // ISC is the shortest licence in use. It has about 700 characters.
    expect(sections.filter((section) => section.length < 600)).toEqual([]);
  });

  it('include the notices', () => {
    const text = collectLicences([
      packageWith({ LICENSE: 'may be used', 'NOTICE.txt': 'made by us', 'README.md': 'x' }),
    ]);
    expect(text).toBe('planted 1.0.0\n\nmay be used\nmade by us');
  });

  it('cannot be collected if a package has no licence', () => {
    expect(() => collectLicences([packageWith({ 'README.md': 'MIT' })])).toThrow(
      'planted 1.0.0 comes without a licence',
    );
  });
});
