// Writes docs/settings.md and the JSON schema of tanzanite.json from the table of settings,
// src/settings/settings-table.ts.
//   node scripts/settings.mjs [--print page | --print schema]
// With --print, the script prints the page or the schema to standard output instead.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = { page: 'docs/settings.md', schema: 'openapi/tanzanite.schema.json' };

const introduction = `# Settings

This page lists every setting of an emulator. You can give a setting as a flag of [\`tanzanite start\`](cli.md#tanzanite-start), as an environment
variable, as a member of the file \`tanzanite.json\` in the working folder, or as an option of [\`startEmulator()\`](library.md#options). These two
commands have the same effect:

\`\`\`sh
npx --no tanzanite start --throttle enforce --throttle-queue 0
TANZANITE_THROTTLE=enforce TANZANITE_THROTTLE_QUEUE=0 npx --no tanzanite start
\`\`\`

This file has the same effect too:

\`\`\`json
{
  "$schema": "./node_modules/tanzanite/openapi/tanzanite.schema.json",
  "throttle": "enforce",
  "throttleQueue": 0
}
\`\`\`

A flag overrides a variable, a variable overrides the file, the file overrides the profile, and the profile overrides the default.
[\`tanzanite settings\`](cli.md#tanzanite-settings) prints the values in use and their sources. In a variable and in the file, a switch such as
\`--loose\` has the value \`true\` or \`false\`. A flag for a switch needs no value. \`--no-loose\` or \`--loose=false\` turns the switch off.

To use another file than \`tanzanite.json\`, name the file with \`--config\`. A member of the file has the same name as the equivalent flag, but in camel
case: \`tablePort\`, \`throttleQueue\`, \`noExplain\`. Paths in the file are relative to the folder of the file. With the schema, an editor can complete and
check the file. The npm package contains the schema. If you use Tanzanite without this package, for example as an executable, download
\`tanzanite.schema.json\` from the release. Put the schema next to \`tanzanite.json\`, and set \`$schema\` to \`"./tanzanite.schema.json"\`. The \`$id\` in the
schema is a name, not an address, so editors do not fetch it.

If the name of a library option ends in \`Ms\`, the value of the option is in milliseconds. The equivalent flag, variable and member of the file are in
seconds. \`node scripts/settings.mjs\` writes this page from the table in \`src/settings\`.
`;

const table = await loadTable();
const {
  settingGroups,
  optionRows,
  commandLineRows,
  contradictions,
  isNeeds,
  describeFlag,
  describeOption,
  defaultWord,
  flagBounds,
  namesOf,
  wordOf,
} = table;
const texts = {
  page: [introduction, ...settingGroups.map(renderGroup), renderPresets(), renderContradictions()].join('\n'),
  schema: `${JSON.stringify(renderSchema(), undefined, 2)}\n`,
};
const printed = process.argv[process.argv.indexOf('--print') + 1];
for (const [name, file] of Object.entries(files)) {
  if (!process.argv.includes('--print')) writeFileSync(`${root}/${file}`, texts[name]);
  else if (name === printed) process.stdout.write(texts[name]);
}

/** Bundles the modules of the table into one JavaScript module, because Node 20 cannot import TypeScript. */
async function loadTable() {
  const entry = 'settings';
  const names = ['settings-table', 'setting-values', 'setting-names', 'contradictions'];
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
    '| flag | variable | option | default | what it does |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** The columns with the values by which profiles and the image replace defaults. */
function renderPresets() {
  const presetIn = (row, value) => (value === undefined ? '' : inCode(row.flag ? wordOf(row, value) : value));
  const lines = settingGroups
    .flatMap(({ rows }) => scalarsOf(rows))
    .filter(([, row]) => ['strict', 'chaos', 'image'].some((column) => row[column] !== undefined))
    .map(([name, row]) => {
      const { flag } = row.flag ? namesOf(row.flag) : {};
      const names = [flag, name in commandLineRows ? undefined : name].filter(Boolean).map(inCode).join(' / ');
      const unit = row.unit === 'ms' ? ' s' : '';
      const cells = [row.strict, row.chaos ?? row.strict, row.image].map((value) => presetIn(row, value));
      return `| ${names} | ${defaultOf(row, optionFor(name))} | ${cells.map((cell) => cell && `${cell}${unit}`).join(' | ')} |`;
    });
  return [
    '## Profiles and the image\n',
    'A profile is a bundle of settings. Choose a profile with `tanzanite --profile strict`, `TANZANITE_PROFILE=strict`, `"profile": "strict"` in the',
    "file, or `startEmulator({ profile: 'strict' })`. The values of the profile replace the defaults. A value that you give as a flag, as a variable,",
    'in the file or as an option overrides the value of the profile. If a value of the profile contradicts a setting that you gave, the value of the',
    'profile does not apply. `tanzanite start` prints the values of the profile. The [image](containers.md) has its own defaults. As with a profile,',
    'your settings override these defaults.\n',
    '| setting | default | `strict` | `chaos` | image |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** The settings by name. Settings in groups are included. */
function scalarsOf(rows) {
  return Object.entries(rows).flatMap(([name, row]) => (row.kind === 'group' ? scalarsOf(row.members) : [[name, row]]));
}

function renderContradictions() {
  const verdicts = { refuse: 'refused', notice: 'no effect; a notice says so', undefined: '' };
  const nameOf = (name) => {
    const { flag } = { ...optionRows, ...commandLineRows }[name];
    const names = [...(flag ? [namesOf(flag).flag] : []), ...(name in optionRows ? [name] : [])];
    return names.map(inCode).join(' / ');
  };
  const describeUse = ({ setting, value }) => `${nameOf(setting)}${value === undefined ? '' : ` ${inCode(value)}`}`;
  const describeNeeds = (needs) => `without ${needs.map(describeUse).join(' or ')}`;
  const lines = contradictions.map(({ use, counterpart, commandLine, library }) => {
    const other = isNeeds(counterpart) ? describeNeeds(counterpart) : `with ${describeUse(counterpart)}`;
    return `| ${describeUse(use)} | ${other} | ${verdicts[commandLine]} | ${verdicts[library]} |`;
  });
  return [
    '## Settings that contradict each other\n',
    'Each row describes a combination of settings. The setting in the first column is given. The setting in the second column is given too (with) or is missing (without). The last two columns say what the command line and the library do with this combination. If a cell is empty, the command line or the library either accepts the combination or does not have both settings. The library reports settings without effect through its option `log`.\n',
    '| setting | | on the command line | in the library |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** The library's name of a setting. Undefined for a flag that the library does not have. */
function optionFor(name) {
  return name in commandLineRows ? undefined : name;
}

/** A line of the table. A group with a flag for each member has a line for each member. */
function renderSetting(row, { option }) {
  if (row.kind === 'group' && row.isPartial) {
    return Object.entries(row.members).flatMap(([name, member]) =>
      renderSetting(member, { option: `${option}.${name}` }),
    );
  }
  const variable = row.flag && namesOf(row.flag).variable;
  const cells = [inCode(row.flag), inCode(variable), inCode(option), defaultOf(row, option), describe(row)];
  return [`| ${cells.join(' | ')} |`];
}

function defaultOf(row, option) {
  if (row.defaultText) return row.defaultText;
  if (row.kind === 'group' || row.kind === 'custom' || row.kind === 'object') return '';
  const ofFlag = row.kind === 'switch' ? undefined : defaultWord(row);
  const ofOption = row.libraryDefault ?? row.default;
  if (row.unit === 'ms') return `${inCode(ofFlag)} s`;
  if (row.flag === undefined || ofFlag === undefined) return inCode(option && ofOption);
  if (option === undefined || String(ofOption) === ofFlag) return inCode(ofFlag);
  return `${inCode(ofFlag)}; option: ${ofOption === undefined ? 'none' : inCode(ofOption)}`;
}

function describe(row) {
  const { azuriteVariable, help, details } = row;
  return [
    asSentence(help),
    ...describeValue(row),
    ...(details ? [details] : []),
    ...(azuriteVariable ? [`Azurite's variable: ${inCode(azuriteVariable)}.`] : []),
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
    case 'object':
      return [`In the settings file, it is the member \`${row.member}\`: ${row.expected}.`];
    case 'group':
      return [`\`{ ${Object.keys(row.members).join(', ')} }\`.`];
    default:
      return [];
  }
}

/** The schema of tanzanite.json. It has a member for each flag, with the units of the flag. */
function renderSchema() {
  const rows = settingGroups.flatMap(({ rows }) => flagRowsOf(rows)).filter((row) => !row.isOutsideFile);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    // This id is a name and not an address, so that it stays the same wherever the file is.
    $id: 'urn:uuid:f2bdddbe-1c99-4612-bfe3-759cb2a589e3',
    title: 'Settings of tanzanite start',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string', description: 'The schema by which an editor checks this file.' },
      ...Object.fromEntries(rows.map((row) => [namesOf(row.flag).member, renderMember(row)])),
      ...Object.fromEntries(
        objectRows().map((row) => [row.member, { description: asSentence(row.help), ...row.schema }]),
      ),
    },
  };
}

/** Settings of the file that have no flag. */
function objectRows() {
  return settingGroups.flatMap(({ rows }) => Object.values(rows).filter(({ kind }) => kind === 'object'));
}

function flagRowsOf(rows) {
  return Object.values(rows).flatMap((row) => {
    if (row.kind === 'group') return flagRowsOf(row.members);
    return row.flag ? [row] : [];
  });
}

function renderMember(row) {
  const { placeholder } = namesOf(row.flag);
  const unit = placeholder === 'seconds' || placeholder === 'units' ? ` (${placeholder})` : '';
  const word = row.kind === 'custom' || row.kind === 'switch' ? undefined : defaultWord(row);
  const isNumber = row.kind === 'whole number' || row.kind === 'positive number';
  return {
    description: asSentence(`${row.help}${unit}`),
    ...typeOf(row),
    ...(row.kind === 'switch' ? { default: false } : {}),
    ...(word === undefined ? {} : { default: isNumber ? Number(word) : word }),
  };
}

function typeOf(row) {
  switch (row.kind) {
    case 'switch':
      return { type: 'boolean' };
    case 'whole number':
      return { type: 'integer', minimum: flagBounds(row).min, maximum: flagBounds(row).max };
    case 'positive number': {
      const bounds = { exclusiveMinimum: 0, maximum: flagBounds(row).max };
      return { type: row.isWholeAsFlag ? 'integer' : 'number', ...bounds };
    }
    case 'choice':
      return { type: 'string', enum: Object.keys(row.choices) };
    case 'text':
      return { type: 'string', ...(row.pattern ? { pattern: row.pattern.regex.source } : { minLength: 1 }) };
    default:
      return { type: 'string', minLength: 1 };
  }
}

function asSentence(phrase) {
  return `${phrase[0].toUpperCase()}${phrase.slice(1)}.`;
}

/** Escapes the bar, which would end the cell of the table. */
function inCode(value) {
  return value === undefined ? '' : `\`${String(value).replaceAll('|', '\\|')}\``;
}
