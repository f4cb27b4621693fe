import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Writes the console (src/console) into a folder. The folder contains index.html, and its subfolder `assets` contains
 * the scripts and the style sheet. The names of the assets contain a hash of their content. Returns the source files of
 * the console. See docs/adr/0011.
 */
export async function writeConsole({ root, dir }) {
  const assets = join(dir, 'assets');
  mkdirSync(assets, { recursive: true });
  const { entry, modules } = await writeScripts({ root, dir: assets });
  const style = writeStyle({ root, dir: assets });
  const page = readFileSync(join(root, 'src/console/page.html'), 'utf8');
  writeFileSync(join(dir, 'index.html'), page.replace('{{style}}', style).replace('{{script}}', entry));
  return modules;
}

async function writeScripts({ root, dir }) {
  const build = await rolldown({
    cwd: root,
    input: { main: 'src/console/main.tsx' },
    platform: 'browser',
    transform: { target: 'es2022' },
  });
  const { output } = await build.write({
    dir,
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
  });
  await build.close();
  const chunks = output.filter(({ type }) => type === 'chunk');
  return {
    entry: chunks.find(({ isEntry }) => isEntry).fileName,
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}

/** All pages share one style sheet. It is small, and no page is shown before its style has arrived. */
function writeStyle({ root, dir }) {
  const folder = join(root, 'src/console/styles');
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.css'))
    .sort();
  const text = files.map((file) => shrink(readFileSync(join(folder, file), 'utf8'))).join('');
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const name = `console-${hash}.css`;
  writeFileSync(join(dir, name), text);
  return name;
}

/** Removes comments and indentation. The style sheets contain no strings that this could change. */
const shrink = (css) =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trimStart();
