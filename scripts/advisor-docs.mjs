// Writes the pages in docs/advisor from the texts in src/advisor: a page for each rule, and a list of the rules.
//   node scripts/advisor-docs.mjs [--print]
// With --print, the script prints the pages to standard output instead, as a JSON object that maps file names to texts.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}/docs/advisor`;

const { rules, ruleConditions, ruleExamples, checklist, defaultThresholds } = await load();
const pages = {
  'README.md': renderList(),
  ...Object.fromEntries(rules.map((rule) => [`${rule.id}.md`, renderRule(rule)])),
};
if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(pages));
else {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of Object.entries(pages)) writeFileSync(`${folder}/${name}`, text);
}

/** Bundles the modules of the rules into one JavaScript module, because Node 20 cannot import TypeScript. */
async function load() {
  const entry = 'rules';
  const names = ['rules', 'rule-conditions', 'rule-examples', 'checklist', 'thresholds'];
  const exported = names.map((name) => `export * from '${root}src/advisor/${name}.ts';`);
  const plugin = {
    name: entry,
    resolveId: (id) => (id === entry ? id : null),
    load: (id) => (id === entry ? exported.join('\n') : null),
  };
  const build = await rolldown({ cwd: root, input: entry, plugins: [plugin], platform: 'node' });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

function renderList() {
  return `# The rules of the advisor

\`tanzanite advise\`, \`GET /_emulator/advisor\` and \`emulator.advisor.report()\` compare the requests of an application with Microsoft's
guides to table design. Each rule has its own page. \`node scripts/advisor-docs.mjs\` writes these pages from the texts in \`src/advisor\`.

Edit \`advisor\` in \`tanzanite.json\` to switch a rule off, to change its thresholds, or to accept its findings for one table:

\`\`\`json
{
  "advisor": {
    "rules": { "full-metadata": false },
    "thresholds": { "table-scan": { "visited": 500 } },
    "ignore": [{ "rule": "table-scan", "table": "Colours", "reason": "a small table" }]
  }
}
\`\`\`

The advisor tells clients apart by their remote address, their user agent and their credential for an account. The rules judge requests in
groups of 4,096, called windows. Counts are added up over all windows. Shares and sequences are computed within one window. If a client
sends more than 256 point reads in a second, the advisor examines the first 256 reads and a sample of the others, about one in 32. Each read
of the sample also counts for the skipped reads before it. Queries with only one page are sampled in the same way. Counts of sampled
requests are estimates.

If requests arrive faster than the rules can judge them, the advisor drops the oldest requests of the most frequent kind from the window,
and keeps requests of rare kinds. After the advisor has dropped writes of a kind, it counts further writes of this kind but does not judge
them. \`notJudged\` in the report is the number of requests that no rule judged. The figures for loads per second, connections and the order
of keys include every request, judged or not. The heat map, \`GET /_emulator/capacity\` and \`tanzanite top\` show the advisor's findings and do
not judge requests themselves.

The advisor uses about half a microsecond of processor time per request: 0.4 µs for a point read, 0.6 µs for a range or a mixture of
requests, 0.7 µs for a write. For a point read, this is 1 to 2 % of the processor time of the request. After a million requests over 100,000
partitions, the advisor uses 4 MiB of memory, or 10 MiB if all requests are ranges. \`node --expose-gc test/bench/advisor-alone.mjs\` measures
these figures, including garbage collection and judging. \`--no-advisor\` turns the advisor off.

| rule | severity | a finding says |
| --- | --- | --- |
${rules.map(({ id, severity, title }) => `| [${id}](${id}.md) | ${severity} | ${title} |`).join('\n')}

## The checklist

Each row of this table has a question from Microsoft's performance and scalability checklist for tables, and the rules that check it. The
report says \`kept\` for a question if the application sent requests that the question is about, and if none of these rules has a finding.

| question | rules |
| --- | --- |
${checklist.map(({ question, rules: ids }) => `| ${question} | ${ids.map((id) => `[${id}](${id}.md)`).join(', ') || 'traffic cannot show it'} |`).join('\n')}
`;
}

function renderRule({ id, severity, title, why, advice, pattern, source }) {
  const { raised, notRaised } = ruleConditions[id];
  const { bad, good } = ruleExamples[id];
  const thresholds = Object.entries(defaultThresholds[id]);
  return `# ${id}

${severity[0].toUpperCase()}${severity.slice(1)}: ${title}.

${why}

**Instead:** ${advice}

Bad:

\`\`\`text
${bad.join('\n')}
\`\`\`

Good:

\`\`\`text
${good.join('\n')}
\`\`\`

**Raised when** ${raised}. **Not raised by** ${notRaised}.

| threshold | default |
| --- | --- |
${thresholds.map(([name, value]) => `| \`${name}\` | ${value.toLocaleString('en-US')} |`).join('\n')}

Source: ${pattern ? `${pattern}; ` : ''}${source.document}, ${source.section}.
`;
}
