// Finds the tests that show a row: the tests that contain its name in their title or code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const suites = ['test/conformance', 'test/unit'];
const shownMax = 2;

/** The tests of the suites: `{ file, title, own, code }`. Titles of `it.each` still have their placeholders. */
export function readTests(root) {
  return suites.flatMap((suite) =>
    readdirSync(join(root, suite), { recursive: true })
      .filter((name) => name.endsWith('.test.ts') && !name.startsWith('repository'))
      .sort()
      .flatMap((name) => testsIn(`${suite}/${name}`, readFileSync(join(root, suite, name), 'utf8'))),
  );
}

function testsIn(file, text) {
  const tests = [];
  const visit = (node, titles) => {
    const [title] = ts.isCallExpression(node) ? node.arguments : [];
    const kind =
      title && ts.isStringLiteralLike(title) ? /^(describe|it|test)\b/.exec(node.expression.getText())?.[1] : undefined;
    if (kind === 'describe') ts.forEachChild(node, (child) => visit(child, [...titles, title.text]));
    else if (kind)
      tests.push({ file, title: [...titles, title.text].join(': '), own: title.text, code: node.getText() });
    else ts.forEachChild(node, (child) => visit(child, titles));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true), []);
  return tests;
}

/**
 * Returns the two most specific tests of a row. Tests whose title contains the name of the row come first, then tests
 * from test/conformance, then short tests.
 */
export function testsOf(row, tests) {
  if (row.subject === 'operation') return ofOperation(row, tests);
  const pattern = patternOf(row);
  return tests
    .filter(({ code }) => pattern.test(code))
    .map((test) => ({
      test,
      rank: [
        pattern.test(test.own) ? 0 : 1,
        suites.findIndex((suite) => test.file.startsWith(suite)),
        test.code.length,
      ],
    }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || a.rank[2] - b.rank[2])
    .slice(0, shownMax)
    .map(({ test: { file, title } }) => ({ file, title }));
}

/** The tests of an operation are in a file with its name. The first two of them are shown. */
function ofOperation({ name }, tests) {
  const kebab = name.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase();
  const own = name === 'TablePreflightRequest' ? 'preflight-table-request' : kebab;
  const inFile = tests.filter(({ file }) => file === `test/conformance/${own}.test.ts`);
  return inFile.slice(0, shownMax).map(({ file, title }) => ({ file, title }));
}

/** The test in a file that contains a text. Throws if there is no such test. */
export function testContaining(file, text, tests) {
  const found = tests.find((test) => test.file === file && test.code.includes(text));
  if (found === undefined) throw new Error(`${file} has no test with ${text}`);
  return { file, title: found.title };
}

/**
 * Finds the test that had this title when it ran. Returns the file of the test and the title that the test has in the
 * source. Returns undefined if the test no longer exists.
 */
export function testNamed({ file, title }, tests) {
  const found = tests.find((test) => test.file === file && asPattern(test.title).test(title));
  return found && { file, title: found.title };
}

/**
 * Returns a pattern for the title that a test has when it runs. In the source, the title of an `it.each` has
 * placeholders (`%s`, `$name`) for its values.
 */
function asPattern(title) {
  const parts = title.split(/%[a-zA-Z#]|\$[\w.]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

function patternOf({ subject, name }) {
  const quoted = name.replace(/[$.*]/g, '\\$&');
  if (subject === 'limit' || subject === 'mark') return new RegExp(`\\b${quoted}\\b`);
  if (subject === 'refusal') return new RegExp(`\\b${quoted}\\b`);
  if (/^[a-z]{2,3}$/.test(name)) return new RegExp(`['"\`?&{ ]${quoted}['"\`=:]`);
  return new RegExp(`(?<![\\w-])${quoted}(?![\\w-])`, 'i');
}
