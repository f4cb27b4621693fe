// Runs the bench on several versions of Node. Writes the results of all runs into docs/benchmarks.md, and draws
// docs/benchmarks.svg:
//   node test/bench/every-node.mjs --node <file>… [--folder <folder>] [--no-write] [flags of the bench]…
// Each run writes a JSON file with its measurements into the folder. The default folder is a new one. If the Node of a
// run is too old for Azurite, Azurite runs on the first given Node that is new enough. Before each run, the script
// installs the SQLite driver that fits the Node of that run. At the end, it installs the driver for the Node that runs
// the script.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { azuriteNodeMajorMin, majorOf, projectFolder } from './servers.mjs';
import { writeDocs } from './write-docs.mjs';

const bench = fileURLToPath(new URL('index.mjs', import.meta.url));
const { nodes, folder, isWritten, rest } = readArguments(process.argv.slice(2));
const azuriteNode = nodes.find(({ version }) => majorOf(version) >= azuriteNodeMajorMin)?.file;

const files = [];
try {
  for (const { file, version } of nodes) {
    console.log(`\n# Node ${version}\n`);
    fitDriver(file);
    const json = join(folder, `${version}.json`);
    const isTooOld = majorOf(version) < azuriteNodeMajorMin;
    const env = { ...process.env, ...(isTooOld && azuriteNode && { TANZANITE_AZURITE_NODE: azuriteNode }) };
    spawnSync(file, [bench, ...rest, '--json', json], { stdio: 'inherit', env });
    files.push(json);
  }
} finally {
  fitDriver(process.execPath);
}
console.log(`\nmeasured: ${files.join(' ')}`);
if (isWritten) writeDocs(files.map((file) => JSON.parse(readFileSync(file, 'utf8'))));

function readArguments(words) {
  const given = { nodes: [], folder: undefined, isWritten: true, rest: [] };
  for (let at = 0; at < words.length; at++) {
    if (words[at] === '--node') given.nodes.push(describeNode(words[++at]));
    else if (words[at] === '--folder') given.folder = resolve(words[++at]);
    else if (words[at] === '--no-write') given.isWritten = false;
    else given.rest.push(words[at]);
  }
  if (given.nodes.length === 0) throw new Error('name at least one Node: --node <file>');
  given.folder ??= mkdtempSync(join(tmpdir(), 'tanzanite-figures-'));
  mkdirSync(given.folder, { recursive: true });
  return given;
}

function describeNode(file) {
  const { stdout, status } = spawnSync(file, ['-v'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} does not run`);
  return { file, version: stdout.trim() };
}

function fitDriver(node) {
  const code = "import('./scripts/fit-driver.mjs').then((it) => it.prepare())";
  const { status } = spawnSync(node, ['-e', code], { cwd: projectFolder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`the SQLite driver does not fit ${node}`);
}
