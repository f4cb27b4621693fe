// Generates docs/differences.md from the tests in test/conformance/differences. The comment at the top of a test file
// becomes prose, the title of a `describe` becomes a heading, and the title of an `it` becomes a list item. This script
// parses the files and does not run them, so titles must be string literals.
//   node scripts/differences.mjs [--print]
// With --print, the script prints the page to standard output instead.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'test/conformance/differences';
const page = 'docs/differences.md';
const lineCharsMax = 120;

const introduction = [
  '# Differences from the service',
  paragraph(
    `This page lists where Tanzanite deliberately differs from the Azure Table service. The profile \`strict\` removes
     two groups of differences: those about newer versions, and those about the names of deleted tables:`,
  ),
  '```sh\nnpx --no tanzanite start --profile strict\n```',
  paragraph(
    `Any other difference is a defect: [report it](parity.md#reporting-what-differs). [Conformance](conformance.md)
     lists the behaviour that matches the service, and the evidence for it. Read each list item below together with
     its heading: the item continues the heading. Each item is the title of a test in \`${folder}\`. All these tests
     pass with this version. \`node scripts/differences.mjs\` generates this page from these tests.`,
  ),
];

const files = readdirSync(`${root}/${folder}`).filter((file) => file.endsWith('.test.ts'));
const sections = files.sort().flatMap((file) => sectionOf(file, readFileSync(`${root}/${folder}/${file}`, 'utf8')));
const text = `${[...introduction, ...sections].join('\n\n')}\n`;
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(`${root}/${page}`, text);

/** The blocks of one file: heading, prose, lists. */
function sectionOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext);
  const prose = leadingComment(source);
  const suites = tree.statements.flatMap((statement) => callsIn(statement, file)).filter(isSuite);
  if (prose === '' || suites.length !== 1)
    throw new Error(`${file}: needs a comment at the top and one outer describe`);
  return suiteBlocks(suites[0], { level: 2, prose });
}

function suiteBlocks({ title, inner }, { level, prose }) {
  const titlesOf = (kind) => inner.filter((call) => call.kind === kind).map((call) => `- ${asText(call.title)}`);
  const built = titlesOf('it');
  const gaps = titlesOf('it.fails');
  return [
    `${'#'.repeat(level)} ${asText(title)}`,
    ...(prose ? prose.split(/\n\s*\n/).map(paragraph) : []),
    ...(built.length > 0 ? [built.map(wrapped).join('\n')] : []),
    ...(gaps.length > 0 ? ['What the service does instead, not implemented yet:', gaps.map(wrapped).join('\n')] : []),
    ...inner.filter(isSuite).flatMap((suite) => suiteBlocks(suite, { level: level + 1 })),
  ];
}

function isSuite({ kind }) {
  return kind === 'describe';
}

/** The calls of `describe`, `it` and `it.fails` directly below a node, each with the calls inside it. */
function callsIn(node, file) {
  const found = [];
  ts.forEachChild(node, (child) => {
    const kind = ts.isCallExpression(child) ? kindOf(child.expression) : undefined;
    if (kind === undefined) {
      found.push(...callsIn(child, file));
      return;
    }
    const [title, ...rest] = child.arguments;
    if (!title || !ts.isStringLiteralLike(title))
      throw new Error(`${file}: a title of ${kind} is not a string literal`);
    found.push({ kind, title: title.text, inner: rest.flatMap((argument) => callsIn(argument, file)) });
  });
  return found;
}

/** Throws for other forms, such as `it.each`: their titles are known only at run time. */
function kindOf(expression) {
  const name = nameOf(expression);
  if (['describe', 'it', 'it.fails'].includes(name)) return name;
  if (/^(?:describe|it|test)\b/.test(name)) throw new Error(`${name} is not supported: use describe, it or it.fails`);
  return undefined;
}

function nameOf(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isCallExpression(expression)) return nameOf(expression.expression);
  if (ts.isPropertyAccessExpression(expression)) return `${nameOf(expression.expression)}.${expression.name.text}`;
  return '';
}

function leadingComment(source) {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}

/** Escapes `*`, which would start emphasis. */
function asText(title) {
  return title.replace(/\*/g, '\\*');
}

function paragraph(prose) {
  return wrapped(prose.trim().split(/\s+/).join(' '));
}

/** Breaks lines at spaces, and indents the further lines of a list item. */
function wrapped(prose) {
  const indent = prose.startsWith('- ') ? '  ' : '';
  const lines = [''];
  for (const word of prose.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && line.length + 1 + word.length > lineCharsMax) lines.push(indent + word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
