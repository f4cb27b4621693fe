// Writes the table of scenarios and SDKs in docs/clients.md. The sources are test/sdk/scenarios.json and the files that
// pin the versions of the SDKs.
//   node scripts/sdk-matrix.mjs [--print]
// With --print, the script prints the page to standard output instead.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = 'docs/clients.md';
const begin = '<!-- scenarios: node scripts/sdk-matrix.mjs -->';
const end = '<!-- /scenarios -->';

const read = (path) => readFileSync(`${root}/${path}`, 'utf8');
const { sdks, scenarios } = JSON.parse(read('test/sdk/scenarios.json'));

const pinned = {
  js: () => JSON.parse(read('package-lock.json')).packages['node_modules/@azure/data-tables'].version,
  python: () => find('test/sdk/python/requirements.txt', /^azure-data-tables==(\S+)$/m),
  go: () => find('test/sdk/go/go.mod', /\/aztables v(\S+)/),
  java: () => find('test/sdk/java/pom.xml', /azure-data-tables<\/artifactId>\s*<version>([^<]+)/),
  rust: () => find('test/sdk/rust/Cargo.lock', /name = "azure_data_tables"\nversion = "([^"]+)/),
};

const names = Object.keys(sdks);
const text = read(page);
const [from, to] = [text.indexOf(begin), text.indexOf(end)];
if (from < 0 || to < from) throw new Error(`${page} lacks ${begin} or ${end}`);
const written = `${text.slice(0, from + begin.length)}\n\n${[matrix(), reasons()].join('\n\n')}\n\n${text.slice(to)}`;
if (process.argv.includes('--print')) process.stdout.write(written);
else writeFileSync(`${root}/${page}`, written);

function find(path, pattern) {
  const found = pattern.exec(read(path));
  if (!found) throw new Error(`${path} pins no version`);
  return found[1];
}

function matrix() {
  const titles = names.map((name) => `${sdks[name].language}: ${sdks[name].name} ${pinned[name]()}`);
  const cell = ({ cannot = {} }, name) => (name in cannot ? '–' : 'yes');
  const rows = scenarios.map((scenario) => [
    `${scenario.area}: ${scenario.does}`,
    scenario.outcome,
    ...names.map((name) => cell(scenario, name)),
  ]);
  return [['a program', 'expected', ...titles], ['---', '---', ...names.map(() => '---')], ...rows].map(row).join('\n');
}

/** Why SDKs cannot express a scenario. Scenarios with the same reason share a line. */
function reasons() {
  return names
    .flatMap((name) => {
      const own = scenarios.flatMap(({ does, cannot = {} }) =>
        name in cannot ? [{ does, reason: cannot[name] }] : [],
      );
      const scenariosOf = (reason) => own.filter((each) => each.reason === reason).map(({ does }) => does);
      return [...new Set(own.map(({ reason }) => reason))].map(
        (reason) =>
          `- The ${sdks[name].language} client ${reason}, so its program does not run these scenarios: “${scenariosOf(reason).join('”, “')}”.`,
      );
    })
    .join('\n');
}

function row(cells) {
  return `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
}
