// The name `tanzanite` is not reserved on the npm registry yet, so someone else could publish a package with this name.
// No text may tell people to run or install that package.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folders = ['docs', 'docker', 'examples', 'openapi', 'scripts', 'src', '.github'];
const kinds = /\.(md|ts|tsx|mjs|js|cjs|json|ya?ml|sh|css|html|java|cs|py)$|^Dockerfile$/;

const offences = [
  // npx and similar commands without the flag that forbids a download.
  /\b(?:npx|pnpx|bunx|(?:npm|pnpm|yarn|bun) (?:exec|x|dlx))\b(?!(?: -\S+)* --no\b)(?: -\S+)* ["']?tanzanite\b/,
  /\b(?:npm|pnpm|yarn|bun) (?:install|i|add)\b(?: -\S+)* ["']?tanzanite(?![-./\w])/,
  /"tanzanite": *"[~^<>=*\d]/,
];

function findOffences(text: string): string[] {
  return text.split('\n').filter((line) => offences.some((offence) => offence.test(line)));
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path);
    return kinds.test(entry.name) ? [path] : [];
  });
}

describe('the name on the npm registry', () => {
  it('is neither run nor installed by any document, example or source text', () => {
    const own = readdirSync(root).filter((name) => kinds.test(name) && statSync(join(root, name)).isFile());
    const files = [...own, ...folders.flatMap(filesIn)];
    expect(files.length).toBeGreaterThan(500);
    expect(files).toEqual(
      expect.arrayContaining(['README.md', join('docs', 'ci.md'), join('src', 'cli', 'start-command.ts')]),
    );
    const found = files.flatMap((file) =>
      findOffences(readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    'npx tanzanite start',
    'npx --yes tanzanite start',
    'npx -- tanzanite',
    '`npx tanzanite`',
    'pnpm dlx tanzanite wait',
    'npm exec tanzanite',
    'npm install --save-dev tanzanite',
    'npm i tanzanite@0.1.0',
    'pnpm add -D "tanzanite"',
    '    "tanzanite": "^0.1.0",',
  ])('is found in %j', (line) => {
    expect(findOffences(`a\n${line}\nb`)).toEqual([line]);
  });

  it.each([
    'npx --no tanzanite start',
    'npm exec --no -- tanzanite --version',
    'npm install ./tanzanite-0.1.0.tgz',
    'npm install --save-dev ../tanzanite/tanzanite-0.1.0.tgz',
    '"tanzanite": "file:../../tanzanite-0.1.0.tgz"',
    '"tanzanite": "dist/cli.js"',
  ])('is not used from the registry by %j', (line) => {
    expect(findOffences(line)).toEqual([]);
  });
});
