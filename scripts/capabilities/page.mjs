// Renders docs/conformance.md from the report in openapi/capabilities.json.
import { evidenceKinds } from './evidence-marks.mjs';

const sections = [
  ['operation', 'Operations', 'way'],
  ['option', 'Options of the query', 'taken by'],
  ['request header', 'Headers of requests', 'taken by'],
  ['response header', 'Headers of responses', ''],
  ['limit', 'Limits', 'value'],
  ['refusal', 'Refusals', 'status'],
];

const doneWords = {
  same: 'as the service',
  differs: 'as the service, with [deliberate differences](differences.md)',
  refused: 'refused, as the service refuses it',
  own: 'not in the service: the emulator adds it',
};

const assumedShown = 40;

export function renderPage(report) {
  return `${[introduction(report), score(report), assumed(report), ...sections.map((section) => table(report, section))].join('\n\n')}\n`;
}

function introduction({ measured, capabilities, behaviours }) {
  const counts = evidenceKinds.map((kind) => {
    const count = behaviours.filter(({ evidence }) => evidence.some((one) => one.kind === kind)).length;
    return `${count} ${kind}`;
  });
  return `# Conformance

What works as in the Azure Table service, how that is known, and which test shows it. The command line shows the same, here one option and
everything that is only assumed:

\`\`\`sh
npx --no tanzanite capabilities '$top'
npx --no tanzanite capabilities --evidence assumed
\`\`\`

In a clone, \`node scripts/capabilities.mjs\` makes this page and \`openapi/capabilities.json\`, which \`GET /_emulator/capabilities\` serves, from the OpenAPI
description, the evidence marks in \`src\` and the tests. A test of the repository fails if they differ. Differences from the service other than
[the deliberate ones](differences.md) are defects.

How it is known:

- **recorded**: a response of the real service shows it; the name is that of a session, or of the SDK whose recording it is.
- **documented**: a page of Microsoft's documentation says so; the name is its title.
- **sdk**: an official SDK, or an issue of one, depends on it.
- **assumed**: none of these, so it may be wrong. Tell us if your account answers differently: [\`tanzanite parity\`](parity.md) finds it.

Tests are named by their titles, and by their files below \`test\`. The table has ${capabilities.length} rows. They come from ${behaviours.length} marks in the source: ${counts.join(', ')} (a mark may name several kinds).
${measuredText(measured)}`;
}

function measuredText(measured) {
  if (measured === null) return 'Recordings and clients have not been counted yet.';
  const { version, date, recordings, clients } = measured;
  return `Counts of recordings and clients are of version ${version} on ${date}: ${count(recordings.exchanges)} exchanges with the service in ${count(recordings.sessions)} sessions, and
${count(clients.requests)} requests of ${clients.programs} programs that use tables. \`node scripts/capabilities.mjs --measure\` updates them, where the recordings are.`;
}

function score({ recordings }) {
  const total = recordings.reduce((sum, row) => sum + row.total, 0);
  const exact = recordings.reduce((sum, row) => sum + row.exact, 0);
  return `## Score of the recordings

Recorded sessions of the service are repeated, and each response is compared with the recorded one: status, every header, every value.
${count(exact)} of ${count(total)} are equal. \`test/conformance/recordings\` fails if a later version has fewer.

| operation | responses | same status | equal |
| --- | --- | --- | --- |
${recordings.map((row) => `| ${row.operation} | ${count(row.total)} | ${count(row.status)} | ${count(row.exact)} |`).join('\n')}`;
}

function assumed({ measured, behaviours }) {
  const rows = behaviours
    .filter(({ evidence }) => evidence.some(({ kind }) => kind === 'assumed'))
    .sort((a, b) => (b.met ?? 0) - (a.met ?? 0));
  const met = rows.filter((row) => row.met);
  const lines = met.slice(0, assumedShown).map((row) => {
    const clauses = row.evidence.filter(({ kind }) => kind === 'assumed').map(({ text }) => text ?? 'all of it');
    const share = percent(row.met / (measured?.clients.requests ?? Number.POSITIVE_INFINITY));
    const place = `\`${row.name}\` of \`${row.file}\``;
    return `| ${inCell(row.statement)} | ${inCell(clauses.join('; '))} | ${place} | ${count(row.met)} (${share}) |`;
  });
  return `## What is assumed

${rows.length} behaviours rest on an assumption, some only in part. They are ordered by how many requests of real programs run the code
that holds the assumption. This is an upper bound: code that decides an order of checks runs for every request, but the order matters
only for a request with two faults. ${met.length} are met at all; ${met.length > assumedShown ? `the first ${assumedShown} are here, ` : ''}\`tanzanite capabilities --evidence assumed\` prints all.

| what is done | what of it is assumed | where | requests |
| --- | --- | --- | --- |
${lines.join('\n')}`;
}

function table({ capabilities }, [subject, heading, detail]) {
  const rows = capabilities.filter((row) => row.subject === subject);
  const head = ['name', ...(detail ? [detail] : []), 'done', 'known by', 'shown by'];
  return `## ${heading}

| ${head.join(' | ')} |
|${head.map(() => ' --- |').join('')}
${rows.map((row) => `| ${cellsOf(row, detail).join(' | ')} |`).join('\n')}`;
}

function cellsOf(row, detail) {
  return [
    `\`${row.name}\``,
    ...(detail ? [inCell(row.detail)] : []),
    doneWords[row.done],
    knownBy(row) || '–',
    row.tests.map(({ file, title }) => `${inCell(title)} (\`${file.slice(5)}\`)`).join('; '),
  ];
}

/** Each piece of evidence once, and the number of recordings. */
function knownBy({ evidence, recorded }) {
  const own = recorded
    ? [`recorded ${count(recorded.exchanges)} times in ${count(recorded.sessions)} sessions (${recorded.session})`]
    : [];
  const others = evidence.slice(recorded ? 1 : 0).map(({ kind, text }) => inCell(text ?? kind));
  const telling = others.filter((text) => !recorded || text !== 'recorded');
  return [...new Set([...own, ...telling])].join('; ');
}

const count = (number) => number.toLocaleString('en-US');
const percent = (share) => (share < 0.001 ? '< 0.1 %' : `${(share * 100).toFixed(1)} %`);

/** A bar would end the cell, a bracket begin a link, an asterisk emphasis. */
function inCell(text) {
  return text.replace(/[|[\]<>]/g, '\\$&').replace(/(?<!`)\*(?!`)/g, '\\*');
}
