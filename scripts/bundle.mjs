import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Name of each exported file in dist → its source file below src, without `.ts`. */
export const library = {
  index: 'index',
  vitest: 'library/vitest',
  jest: 'library/jest',
  'node-test': 'library/node-test',
  'global-setup': 'library/global-setup',
  'global-teardown': 'library/global-teardown',
};
const libraryInput = Object.fromEntries(Object.entries(library).map(([name, file]) => [name, `src/${file}.ts`]));
/**
 * The programs in the bundle: the command, the entry point of the image, and the program that runs each server of
 * `tanzanite azurite`. The entry point of the image first switches from root to another user.
 */
const commandInput = { cli: 'src/cli/main.ts', image: 'src/image/main.ts', 'group-member': 'src/cli/group-member.ts' };

/**
 * Writes the bundle of the command and the library into the folder `dir`: ES modules, and CommonJS modules in the
 * subfolder `cjs`. Returns the paths of all files that were bundled. `manifest` is package.json. The bundle does not
 * contain the dependencies and peer dependencies that package.json lists.
 */
export async function writeBundle({ root, manifest, dir }) {
  const packages = [...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }), ...neverLoaded];
  const external = new RegExp(`^(node:|(${packages.join('|')})(/|$))`);
  return [
    ...(await write({ ...commandInput, ...libraryInput }, { root, external, dir, format: 'esm' })),
    // Jest has its own loader, which loads only CommonJS.
    ...(await write(libraryInput, { root, external, dir: `${dir}/cjs`, format: 'cjs' })),
  ];
}

/**
 * Some modules contain much code that never runs in Tanzanite. For each of these modules, this map names the smaller
 * module that replaces it. For example, the SDK of the Model Context Protocol contains a validator, but Tanzanite uses
 * its own validator.
 */
const smallerParts = {
  '@modelcontextprotocol/server/_shims': fileURLToPath(new URL('mcp-sdk-shims.mjs', import.meta.url)),
};

/**
 * Fastify requires its schema compilers itself for a server that names none. Each of our servers names its own, so the
 * start does not have to parse this code. Throws at the end of a build in which Fastify required nothing here.
 */
function namedCompilers() {
  const standIn = fileURLToPath(new URL('no-schema-compiler.cjs', import.meta.url));
  let replaced = 0;
  return {
    name: 'named-compilers',
    resolveId(id, importer = '') {
      const isFastify = /\bfastify[\\/]lib[\\/]schema-controller\.js$/.test(importer);
      if (!isFastify || !/^@fastify\/.+-compiler$/.test(id)) return undefined;
      replaced += 1;
      return standIn;
    },
    buildEnd(failure) {
      if (!failure && replaced !== 2)
        throw new Error('Fastify requires its schema compilers elsewhere now: see bundle.mjs');
    },
  };
}

/** The driver of PostgreSQL imports pg-native only if a program asks for it. */
const neverLoaded = ['pg-native'];

async function write(input, { root, external, dir, format }) {
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external,
    resolve: { alias: smallerParts },
    plugins: [namedCompilers()],
  });
  const { output } = await build.write({
    dir,
    format,
    exports: 'named',
    chunkFileNames: 'chunk-[name]-[hash].js',
    // Names are not shortened, so that stack traces can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  const chunks = output.filter(({ type }) => type === 'chunk');
  for (const { fileName, code } of chunks) writeFileSync(join(dir, fileName), asAscii(code));
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

/**
 * Returns the same program in ASCII, which takes less memory: V8 keeps the source of a module in memory, and uses two
 * bytes for every character if any character is outside Latin-1. The function replaces characters outside ASCII with
 * escapes. In strings and regular expressions, an escape means the same as the character. Limit: the function would
 * change a text in String.raw, because String.raw keeps escapes as they are written.
 */
function asAscii(code) {
  if (/\\[^\0-\x7f]/.test(code))
    throw new Error('a backslash before a character outside ASCII: an escape would change it');
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The script of the documentation page (scripts/docs-page), as the text of one script element. */
export async function bundlePageScript(root) {
  const build = await rolldown({ cwd: root, input: 'scripts/docs-page/page.js', platform: 'browser' });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  const { code } = output[0];
  if (/<\/?script|<!--/i.test(code)) throw new Error('the script of the page would end its own element');
  return code.trim();
}
