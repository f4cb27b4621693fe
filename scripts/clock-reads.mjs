// Finds code that reads a clock or starts a timer directly instead of through src/model/time.ts. The script searches
// for Date.now, new Date() without arguments, performance.now, process.hrtime, setTimeout, setInterval and imports of
// node:timers.
import ts from 'typescript';

/** File → why it may read a clock. The check fails for an entry that is not needed. */
const allowed = {
  'model/time.ts': 'is the clock',
  'cli/wait.ts': 'waits for an emulator in another process',
  'cli/watch-load.ts': 'asks an emulator in another process once a second',
  'library/end-with-runner.ts': 'checks whether the process of a test runner still runs',
  'cli/connection-string.ts': 'dates a signature for an emulator that may not run yet',
};

/** The console runs in a browser, where no clock can be injected. */
const browserFolder = 'console/';

const members = new Set(['Date.now', 'performance.now', 'process.hrtime']);
const timers = new Set(['setTimeout', 'setInterval']);
const timerModules = /^(node:)?timers(\/promises)?$/;

/**
 * Returns the number of files, and a message for each violation. `sources` maps the files below `root` to their syntax
 * trees.
 */
export function checkClockReads(sources, root) {
  const files = [...sources.keys()].filter((file) => !file.startsWith(browserFolder));
  const readers = new Set();
  const faults = [];
  for (const file of files) {
    const reads = findClockReads(sources.get(file));
    if (reads.length > 0) readers.add(file);
    if (file in allowed) continue;
    faults.push(...reads.map(({ line, what }) => `no clock but model/time.ts: ${root}/${file}:${line} ${what}`));
  }
  for (const file of Object.keys(allowed)) {
    if (!readers.has(file)) faults.push(`no clock but model/time.ts: ${file} reads none and needs no exception`);
  }
  return { files: files.length, faults };
}

function findClockReads(source) {
  const reads = [];
  const visit = (node) => {
    const what = clockRead(node);
    if (what) reads.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, what });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return reads;
}

/** The clock or timer that a node refers to. Undefined if it refers to none. */
function clockRead(node) {
  if (ts.isNewExpression(node)) {
    return nameOf(node.expression) === 'Date' && !node.arguments?.length ? 'new Date()' : undefined;
  }
  if (ts.isCallExpression(node)) return nameOf(node.expression) === 'Date' ? 'Date()' : undefined;
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const name = nameOf(node);
    return members.has(name) || timers.has(name) ? name : undefined;
  }
  if (ts.isIdentifier(node)) return timers.has(node.text) && isValue(node) ? node.text : undefined;
  return ts.isStringLiteral(node) && timerModules.test(node.text) && isImported(node)
    ? `import of ${node.text}`
    : undefined;
}

const isImported = ({ parent }) =>
  ts.isImportDeclaration(parent) ||
  (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword);

/**
 * Returns the dotted name of an identifier or a member. The dotted name of `Date.now`, `Date['now']` and
 * `globalThis.Date.now` is `Date.now`. For other expressions, the function returns an empty text.
 */
function nameOf(node) {
  if (ts.isIdentifier(node)) return node.text;
  const isMember = ts.isPropertyAccessExpression(node);
  if (!isMember && !(ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))) return '';
  const member = isMember ? node.name.text : node.argumentExpression.text;
  const owner = nameOf(node.expression);
  return owner === 'globalThis' ? member : `${owner}.${member}`;
}

/** Whether an identifier means the global function. It does not if it names a member, an import or a type. */
function isValue(node) {
  const { parent } = node;
  return (
    !(ts.isPropertyAccessExpression(parent) || ts.isImportSpecifier(parent) || ts.isTypeQueryNode(parent)) &&
    parent.name !== node
  );
}
