// Writes openapi/capabilities.json and docs/conformance.md. These files list the behaviours that the emulator
// shares with the service, each with its evidence and with the test that shows it. The script reads openapi/, the
// evidence marks in src, and the tests.
//   node scripts/capabilities.mjs [--print]
//   node scripts/capabilities.mjs --measure [--tests FILE]
// With --print, the script prints both texts to standard output instead, as a JSON object that maps file names to
// texts. With --measure, the script makes the counts of recordings and tests again. The counts need the recordings in
// ../shared, and take as long as running all the tests. With --tests, the script does not run the tests, but reads the
// log of an earlier run of scripts/capabilities/measure.config.mjs. Without --measure, the script keeps the earlier
// counts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readMarks } from './capabilities/evidence-marks.mjs';
import { keysOf } from './capabilities/mark-keys.mjs';
import { namedTests } from './capabilities/named-tests.mjs';
import { renderPage } from './capabilities/page.mjs';
import { readRows } from './capabilities/rows.mjs';
import { readTests, testContaining, testNamed, testsOf } from './capabilities/shown-by.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const shared = fileURLToPath(new URL('../../shared', import.meta.url));
const files = { json: 'openapi/capabilities.json', page: 'docs/conformance.md' };

/** The most marks that are cited for a row. */
const marksPerRow = 3;
const testsPerMark = 2;

const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const marks = readMarks(root);
const tests = readTests(root);
const figures = process.argv.includes('--measure') ? await measureAgain() : keptFigures();

const report = {
  version,
  measured: figures.measured,
  recordings: scores(),
  capabilities: readRows(root).map(completeRow),
  behaviours: marks.map(completeMark),
};
refuseUnknown();

const texts = { [files.json]: renderJson(report), [files.page]: renderPage(report) };
if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(texts));
else for (const [file, text] of Object.entries(texts)) writeFileSync(`${root}/${file}`, text);

/** The figures that the existing file has: `{ measured, recorded, marks }`. */
function keptFigures() {
  if (!existsSync(`${root}/${files.json}`)) return { measured: null, recorded: {}, marks: {} };
  const { measured, capabilities, behaviours } = JSON.parse(readFileSync(`${root}/${files.json}`, 'utf8'));
  const recorded = capabilities.filter((row) => row.recorded).map((row) => [keyOfRow(row), row.recorded]);
  const keys = keysOf(behaviours);
  const kept = behaviours.map(({ met = 0, tests: shown }, index) => [keys[index], { met, tests: shown }]);
  return { measured, recorded: Object.fromEntries(recorded), marks: Object.fromEntries(kept) };
}

async function measureAgain() {
  const { measure } = await import('./capabilities/measure.mjs');
  const at = process.argv.indexOf('--tests');
  const {
    recorded,
    clients,
    marks: measured,
  } = await measure({
    root,
    shared,
    testLog: at === -1 ? undefined : process.argv[at + 1],
  });
  const { exchanges, sessions, counts } = recorded;
  const date = new Date().toISOString().slice(0, 10);
  return {
    measured: { version, date, recordings: { exchanges, sessions }, clients },
    recorded: counts,
    marks: measured,
  };
}

/**
 * Returns the counts of recorded responses for each operation. The tests in test/conformance/recordings make these
 * counts when they compare the recorded responses with the emulator's responses.
 */
function scores() {
  const score = JSON.parse(readFileSync(`${root}/test/conformance/recordings/score.json`, 'utf8'));
  return Object.entries(score).map(([operation, counts]) => ({ operation, ...counts }));
}

function keyOfRow({ subject, name }) {
  return `${subject} ${name}`.toLowerCase();
}

function completeRow({ file, owner, isRefused, ...row }) {
  const recorded = figures.recorded[keyOfRow(row)];
  return {
    ...row,
    evidence: [...recordedEvidence(recorded), ...evidenceFor({ ...row, file, owner })],
    ...(recorded && { recorded }),
    tests: testsFor(row),
  };
}

function recordedEvidence(recorded) {
  return recorded ? [{ kind: 'recorded', text: `recorded (${recorded.session})` }] : [];
}

/**
 * Returns the evidence for a row. The evidence for a limit is in the mark of the limit's constant. If the constant has
 * no mark, the evidence is in the mark of the file that contains the constant. The evidence for other rows is in the
 * marks that name the row.
 */
function evidenceFor({ subject, name, file, owner, evidence = [] }) {
  if (subject === 'limit') {
    const own = marks.find((mark) => mark.file === file && mark.name === owner);
    const ofFile = marks.find((mark) => mark.file === file && mark.name === 'file');
    return (own ?? ofFile)?.evidence ?? evidence;
  }
  const catalogue = marks.find((mark) => mark.name === 'errorCatalogue');
  const named = marks
    .filter((mark) => mark !== catalogue && mark.name !== 'file' && namesRow(mark, { subject, name }))
    .sort((a, b) => a.code.length - b.code.length)
    .slice(0, marksPerRow)
    .flatMap((mark) => mark.evidence.map((one) => ({ ...one, by: `${mark.file}#${mark.name}` })));
  return subject === 'refusal' ? [...named, ...catalogue.evidence.slice(0, 1)] : [...evidence, ...named];
}

function namesRow({ code, statement }, { subject, name }) {
  const quoted = name.replaceAll('$', '\\$');
  if (subject === 'operation') return statement.includes(name.replace(/(?<!^)(?=[A-Z])/g, ' '));
  // A short name may also be an ordinary word, so it must be quoted.
  const isTelling = name.length > 12 || subject === 'refusal';
  const pattern = isTelling ? new RegExp(`(?<![\\w-])${quoted}(?![\\w-])`, 'i') : new RegExp(`['"\`]${quoted}['"\`]`);
  return pattern.test(code) || pattern.test(statement);
}

function testsFor(row) {
  const { name } = row;
  if (name in namedTests) return [testContaining(...namedTests[name], tests)];
  return testsOf(row, tests);
}

function completeMark({ file, name, statement, evidence }, index) {
  const { met, tests: shown = [] } = figures.marks[keysOf(marks)[index]] ?? {};
  const known = onlyOnce(shown.map((test) => testNamed(test, tests)).filter((test) => test !== undefined));
  // A mark at a value has no code that tests run. Tests that contain the name of the value show it.
  const naming = known.length > 0 ? known : testsOf({ subject: 'mark', name: name.split('.').at(-1) }, tests);
  return { file, name, statement, evidence, ...(met ? { met } : {}), tests: name === 'file' ? known : naming };
}

function onlyOnce(shown) {
  const byTitle = new Map(shown.map((test) => [`${test.file} ${test.title}`, test]));
  return [...byTitle.values()].slice(0, testsPerMark);
}

/** Throws if a row has no evidence or no test, because something is then missing in the sources. */
function refuseUnknown() {
  const gaps = report.capabilities.flatMap(({ subject, name, done, evidence, tests: shown }) => [
    ...(evidence.length === 0 && done !== 'own' ? [`${subject} ${name}: nothing says how it is known`] : []),
    ...(shown.length === 0 ? [`${subject} ${name}: no test shows it`] : []),
  ]);
  if (gaps.length > 0) throw new Error(gaps.join('\n'));
}

/** The JSON has one line for each row, so that a diff is readable. */
function renderJson({ capabilities, behaviours, ...rest }) {
  const listOf = (rows) => rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},\n"capabilities": [\n${listOf(capabilities)}\n],\n"behaviours": [\n${listOf(behaviours)}\n]}\n`;
}
