// Bundles src, and the packages that src uses, into dist. As a result, the emulator reads one file instead of hundreds
// when it starts, and an install fetches only the SQLite driver. The driver is not in the bundle, because it has a
// native addon. See docs/adr/0004.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundlePageScript, library, writeBundle } from './bundle.mjs';
import { packagesOf } from './bundled-packages.mjs';
import { writeConsole } from './console-bundle.mjs';
import { writeDeclarations } from './declarations.mjs';
import { renderDocs } from './docs-page/render.mjs';
import { collectLicences } from './licences.mjs';
import { renderBillOfMaterials } from './sbom.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

// The build writes into a folder next to dist and renames this folder at the end. A command that starts during the
// build therefore finds either the complete old dist or the complete new one.
const building = `${root}/.dist-${process.pid}`;

const modules = [
  ...(await writeBundle({ root, manifest, dir: building })),
  ...(await writeConsole({ root, dir: `${building}/console` })),
];
const packages = packagesOf(modules);
writeFileSync(`${building}/cjs/package.json`, '{"type":"commonjs"}\n');
for (const command of ['cli', 'image']) chmodSync(`${building}/${command}.js`, 0o755);
writeFileSync(`${building}/THIRD-PARTY-LICENSES.txt`, collectLicences(packages));
writeFileSync(`${building}/sbom.cdx.json`, renderBillOfMaterials({ root, manifest, modules, packages }));

// The descriptions of the REST APIs, which the emulator serves at /_emulator/docs.
const documents = ['table-service', 'control-plane'].map((name) => ({
  name,
  text: readFileSync(`${root}/openapi/${name}.yaml`, 'utf8'),
}));
mkdirSync(`${building}/docs`);
writeFileSync(`${building}/docs/index.html`, renderDocs(documents, await bundlePageScript(root)));

// Declarations need the compiler, which a production-only install does not have.
const tsc = `${root}/node_modules/@typescript/native/bin/tsc`;
if (existsSync(tsc)) {
  writeDeclarations({ root, tsc, entries: Object.values(library), outDir: `${building}/types` });
  // The same declarations again, in a folder where the compiler reads them as declarations of CommonJS.
  cpSync(`${building}/types`, `${building}/cjs/types`, { recursive: true });
}

rmSync(`${root}/dist`, { recursive: true, force: true });
renameSync(building, `${root}/dist`);
