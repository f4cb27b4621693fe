// Writes docs/advisor, a page for each rule and their list, from the texts of the rules in src/advisor.
//   node scripts/advisor-docs.mjs [--print]
// With --print the pages go to standard output instead, as a JSON object from file names to texts.
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

/** The modules of the rules as one; Node 20 reads no TypeScript. */
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

\`tanzanite advise\`, \`GET /_emulator/advisor\` and \`emulator.advisor.report()\` judge the requests of an application by Microsoft's guides
to table design. Each rule has a page. \`node scripts/advisor-docs.mjs\` writes these pages from the texts in \`src/advisor\`.

Rules are switched off, and their thresholds changed, in \`tanzanite.json\`:

\`\`\`json
{
  "advisor": {
    "rules": { "full-metadata": false },
    "thresholds": { "table-scan": { "visited": 500 } },
    "ignore": [{ "rule": "table-scan", "table": "Colours", "reason": "a small table" }]
  }
}
\`\`\`

A client is a remote address, a user agent and a credential of one account. Counts are added up over the windows of 4,096 requests in
which the rules look at traffic; shares and sequences are those of one window. Of a client's point reads beyond 256 a second, one in about
32 is looked at and stands for the others, and the same applies to its queries of one page: their counts are estimates. While requests arrive
faster than the rules can judge them, the window is thinned out: it keeps rare requests, and drops the oldest of the most frequent kind; if
these are writes, further ones are only counted. The report's \`notJudged\` says how many those were. Loads per second, connections and the order of keys are counted for all
requests. The heat map, \`GET /_emulator/capacity\` and \`tanzanite top\` show these verdicts and make none themselves.

The advisor takes half a microsecond of processor time per request (point reads 0.4, ranges and a mixture 0.6, writes 0.7), which is between
1 and 2 % of a point read, and 4 MiB after a million requests over 100,000 partitions (10 MiB if all are ranges). Measured by
\`node --expose-gc test/bench/advisor-alone.mjs\`, garbage collection and judging included. \`--no-advisor\` turns it off.

| rule | severity | a finding says |
| --- | --- | --- |
${rules.map(({ id, severity, title }) => `| [${id}](${id}.md) | ${severity} | ${title} |`).join('\n')}

## The checklist

The rows of Microsoft's performance and scalability checklist for tables, and the rules that check them. A row passes if the traffic
showed what it asks about and no rule fired.

| question | rules |
| --- | --- |
${checklist.map(({ question, rules: ids }) => `| ${question} | ${ids.map((id) => `[${id}](${id}.md)`).join(', ') || 'no traffic shows it'} |`).join('\n')}
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
