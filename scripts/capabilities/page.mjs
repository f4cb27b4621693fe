// Renders docs/conformance.md from the report in openapi/capabilities.json.
import { evidenceKinds } from './evidence-marks.mjs';

const sections = [
  ['operation', 'Operations', 'request'],
  ['option', 'Options of the query', 'accepted by'],
  ['request header', 'Headers of requests', 'accepted by'],
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

This page lists the behaviour that matches the Azure Table service, the evidence for this behaviour, and the tests that show it. The command
\`tanzanite capabilities\` prints the same list. The first command below prints what is known about one query option. The second command prints
every behaviour that is only assumed:

\`\`\`sh
npx --no tanzanite capabilities '$top'
npx --no tanzanite capabilities --evidence assumed
\`\`\`

In a clone, \`node scripts/capabilities.mjs\` generates this page and \`openapi/capabilities.json\`. It reads the OpenAPI description, the tests, and the
evidence marks in \`src\`. A test of the repository fails if one of these two files is out of date. \`GET /_emulator/capabilities\` serves the JSON file.
Any difference from the service is a defect, except [the deliberate differences](differences.md).

There are four kinds of evidence:

- **recorded**: a recorded response of the real service shows the behaviour. The tables name the recorded session, or the SDK from which the recording comes.
- **documented**: a page of Microsoft's documentation describes the behaviour. The tables give the title of the page.
- **sdk**: an official SDK depends on the behaviour, or an issue in the repository of an SDK reports the behaviour.
- **assumed**: there is none of the other three kinds of evidence, so the assumption may be wrong. [\`tanzanite parity\`](parity.md) compares the emulator with your Azure account. If your account answers differently, please report the assumption.

Each test is named by its title and by its file below \`test\`. The tables have ${capabilities.length} rows. The evidence comes from ${behaviours.length} marks in the source: ${counts.join(', ')}. A mark may name several kinds of evidence.
${measuredText(measured)}`;
}

function measuredText(measured) {
  if (measured === null) return 'Recordings and clients have not been counted yet.';
  const { version, date, recordings, clients } = measured;
  return `Recordings and clients were counted with version ${version} on ${date}. The recordings have ${count(recordings.exchanges)} exchanges with the service in ${count(recordings.sessions)} sessions.
The clients are ${clients.programs} programs that use tables. They sent ${count(clients.requests)} requests. \`node scripts/capabilities.mjs --measure\` updates these counts on a machine that has the recordings.`;
}

function score({ recordings }) {
  const total = recordings.reduce((sum, row) => sum + row.total, 0);
  const exact = recordings.reduce((sum, row) => sum + row.exact, 0);
  return `## Score of the recordings

The tests in \`test/conformance/recordings\` send the requests of the recorded sessions to the emulator. They compare the status, every header and every value of each response with the recorded response.
${count(exact)} of ${count(total)} responses are equal. The tests fail if a later version has fewer equal responses.

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

${rows.length} behaviours are assumed, some of them only in part. The last column shows how many requests of real programs run the code that contains the
assumption. This number is an upper bound, because not every such request depends on the assumption. For example, code that decides the order of
two checks runs for every request, but the order matters only for a request that fails both checks. For ${met.length} of these behaviours, at least one request runs the code. ${met.length > assumedShown ? `The table shows the ${assumedShown} behaviours with the most requests; ` : ''}\`tanzanite capabilities --evidence assumed\` prints all assumed behaviours.

| behaviour | assumed part | where | requests |
| --- | --- | --- | --- |
${lines.join('\n')}`;
}

function table({ capabilities }, [subject, heading, detail]) {
  const rows = capabilities.filter((row) => row.subject === subject);
  const head = ['name', ...(detail ? [detail] : []), 'in the emulator', 'known by', 'shown by'];
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

/** The cell "known by": how often the row was recorded, and each piece of evidence once. */
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

/** Escapes the characters that would end a cell, or begin a link, a tag or emphasis. */
function inCell(text) {
  return text.replace(/[|[\]<>]/g, '\\$&').replace(/(?<!`)\*(?!`)/g, '\\*');
}
