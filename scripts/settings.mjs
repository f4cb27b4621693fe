// Writes docs/settings.md from the table of settings, src/settings/settings-table.ts.
//   node scripts/settings.mjs [--print]
// With --print the page goes to standard output instead.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = 'docs/settings.md';

const introduction = `# Settings

Every setting of an emulator, once: as a flag of [\`tanzanite start\`](cli.md#tanzanite-start) and as an option of
[\`startEmulator()\`](library.md#options). \`node scripts/settings.mjs\` writes this page from the table in \`src/settings\`.

Options whose name ends in \`Ms\` are in milliseconds; their flags are in seconds.
`;

const { settingGroups, commandLineRows, describeFlag, describeOption, defaultWord } = await loadTable();
const text = [introduction, ...settingGroups.map(renderGroup)].join('\n');
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(`${root}/${page}`, text);

/** The modules of the table as one; Node 20 reads no TypeScript. */
async function loadTable() {
  const entry = 'settings';
  const names = ['settings-table', 'setting-values'];
  const exported = names.map((name) => `export * from '${root}src/settings/${name}.ts';`).join('\n');
  const plugin = {
    name: entry,
    resolveId: (id) => (id === entry ? id : null),
    load: (id) => (id === entry ? exported : null),
  };
  const build = await rolldown({ cwd: root, input: entry, plugins: [plugin] });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

function renderGroup({ heading, rows }) {
  const lines = Object.entries(rows).flatMap(([name, row]) => renderSetting(row, { option: optionFor(name) }));
  return [
    `## ${heading}\n`,
    '| flag | option | default | what it does |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** Undefined for a flag that the library has no option for. */
function optionFor(name) {
  return name in commandLineRows ? undefined : name;
}

/** A line of the table; of a group whose members have flags, a line for each of them. */
function renderSetting(row, { option }) {
  if (row.kind === 'group' && row.isPartial) {
    return Object.entries(row.members).flatMap(([name, member]) =>
      renderSetting(member, { option: `${option}.${name}` }),
    );
  }
  const cells = [inCode(row.flag), inCode(option), defaultOf(row, option), describe(row)];
  return [`| ${cells.join(' | ')} |`];
}

function defaultOf(row, option) {
  if (row.defaultText) return row.defaultText;
  if (row.kind === 'group' || row.kind === 'custom') return '';
  const ofFlag = row.kind === 'switch' ? undefined : defaultWord(row);
  const ofOption = row.libraryDefault ?? row.default;
  if (row.unit === 'ms') return `${inCode(ofFlag)} s`;
  if (row.flag === undefined || ofFlag === undefined) return inCode(option && ofOption);
  if (option === undefined || String(ofOption) === ofFlag) return inCode(ofFlag);
  return `${inCode(ofFlag)}; option: ${ofOption === undefined ? 'none' : inCode(ofOption)}`;
}

function describe(row) {
  const { environment, help, details } = row;
  return [
    asSentence(help),
    ...describeValue(row),
    ...(details ? [details] : []),
    ...(environment ? [`Environment: ${inCode(environment)}.`] : []),
  ].join(' ');
}

function describeValue(row) {
  switch (row.kind) {
    case 'choice':
      return [
        `${Object.entries(row.choices)
          .map(([value, meaning]) => `${inCode(value)}: ${meaning}`)
          .join('; ')}.`,
      ];
    case 'whole number':
    case 'positive number':
      return [asSentence(row.flag ? describeFlag(row) : describeOption(row))];
    case 'text':
      return row.pattern && row.pattern.regex.source !== '^' ? [asSentence(row.pattern.expected)] : [];
    case 'group':
      return [`\`{ ${Object.keys(row.members).join(', ')} }\`.`];
    default:
      return [];
  }
}

function asSentence(phrase) {
  return `${phrase[0].toUpperCase()}${phrase.slice(1)}.`;
}

/** A bar would end the cell. */
function inCode(value) {
  return value === undefined ? '' : `\`${String(value).replaceAll('|', '\\|')}\``;
}
