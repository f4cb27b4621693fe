// Bundles src, with the packages it uses, into dist: a start reads one file instead of hundreds, and an install fetches
// nothing but the SQLite driver, which stays outside for its native addon. See docs/adr/0004.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { writeDeclarations } from './declarations.mjs';
import { renderDocs } from './docs-page/render.mjs';
import { collectLicences } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies, peerDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const outside = new RegExp(`^(node:|(${Object.keys({ ...dependencies, ...peerDependencies }).join('|')})(/|$))`);

/** What package.json exports, without `.ts`, by the names of the files in dist. */
const library = {
  index: 'index',
  vitest: 'library/vitest',
  jest: 'library/jest',
  'node-test': 'library/node-test',
  'global-setup': 'library/global-setup',
  'global-teardown': 'library/global-teardown',
};
const libraryInput = Object.fromEntries(Object.entries(library).map(([name, file]) => [name, `src/${file}.ts`]));

// Built beside dist and put in its place at the end: a command that is started meanwhile finds one or the other.
const building = `${root}/.dist-${process.pid}`;

/** Writes a bundle and says which files went into it. */
async function bundle(input, { format, dir }) {
  const build = await rolldown({ cwd: root, input, platform: 'node', external: outside });
  const { output } = await build.write({
    dir,
    format,
    exports: 'named',
    chunkFileNames: 'chunk-[name]-[hash].js',
    // Names stay, so that a stack trace can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

const modules = [
  ...(await bundle({ cli: 'src/cli/main.ts', ...libraryInput }, { format: 'esm', dir: building })),
  // Jest loads modules by means of its own, and of CommonJS only.
  ...(await bundle(libraryInput, { format: 'cjs', dir: `${building}/cjs` })),
];
writeFileSync(`${building}/cjs/package.json`, '{"type":"commonjs"}\n');
chmodSync(`${building}/cli.js`, 0o755);
writeFileSync(`${building}/THIRD-PARTY-LICENSES.txt`, collectLicences(modules));

// What the emulator tells of its REST API, at /_emulator/docs.
const documents = ['table-service', 'control-plane'].map((name) => ({
  name,
  text: readFileSync(`${root}/openapi/${name}.yaml`, 'utf8'),
}));
mkdirSync(`${building}/docs`);
writeFileSync(`${building}/docs/index.html`, renderDocs(documents));
for (const { name, text } of documents) writeFileSync(`${building}/docs/${name}.yaml`, text);

// Declarations need the compiler, which a production-only install does not have.
const tsc = `${root}/node_modules/typescript/bin/tsc`;
if (existsSync(tsc)) {
  writeDeclarations({ root, tsc, entries: Object.values(library), outDir: `${building}/types` });
  // The same, where the compiler takes them for declarations of CommonJS.
  cpSync(`${building}/types`, `${building}/cjs/types`, { recursive: true });
}

rmSync(`${root}/dist`, { recursive: true, force: true });
renameSync(building, `${root}/dist`);
