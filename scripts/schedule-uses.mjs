// Finds code that puts work into a later turn, or draws random values, without src/model/schedule.ts. The script checks
// the modules that test/simulation runs, because the same seed must always give the same simulation.
// scripts/clock-reads.mjs checks timers.
import ts from 'typescript';

/** File → why it need not use the schedule. The check fails for an entry that is not needed. */
const allowed = {
  'model/schedule.ts': 'is the schedule',
  'auth/accounts.ts': 'makes a secret key',
  'capacity/load-exchange.ts': 'names a node among several over one database',
  'service/stage-faults.ts': 'draws the seed of a run without a given one',
  'storage/postgres/point-reads.ts': 'waits for a database, which decides its own order',
  'storage/postgres/postgres-store.ts': 'names a node among several over one database',
  'storage/sqlite/file/disk-reserve.ts': 'fills a file that nothing reads',
};

const modules = [
  'advisor',
  'auth',
  'capacity',
  'control',
  'faults',
  'model',
  'operations',
  'protocol',
  'query',
  'service',
  'storage',
  'traffic',
];

const names = new Set([
  'setImmediate',
  'queueMicrotask',
  'nextTick',
  'random',
  'randomBytes',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'getRandomValues',
]);

/**
 * Returns the number of files, and a message for each violation. `sources` maps the files below `root` to their syntax
 * trees.
 */
export function checkScheduleUses(sources, root) {
  const files = [...sources.keys()].filter((file) => modules.includes(file.split('/', 1)[0]));
  const users = new Set();
  const faults = [];
  for (const file of files) {
    const uses = findUses(sources.get(file));
    if (uses.length > 0) users.add(file);
    if (file in allowed) continue;
    faults.push(...uses.map(({ line, what }) => `only by model/schedule.ts: ${root}/${file}:${line} ${what}`));
  }
  for (const file of Object.keys(allowed)) {
    if (!users.has(file)) faults.push(`only by model/schedule.ts: ${file} uses none and needs no exception`);
  }
  return { files: files.length, faults };
}

function findUses(source) {
  const uses = [];
  const visit = (node) => {
    const what = useIn(node);
    if (what) uses.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, what });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return uses;
}

/**
 * Returns the name of the global, import or member that a node uses, such as `Math.random`. For `Math['random']`, the
 * name is only `random`. Returns undefined if the node uses none of the names that this script searches for.
 */
function useIn(node) {
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return names.has(node.argumentExpression.text) ? node.argumentExpression.text : undefined;
  }
  if (!ts.isIdentifier(node) || !names.has(node.text)) return undefined;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node ? memberOf(parent) : node.text;
  return ts.isTypeQueryNode(parent) || parent.name === node ? undefined : node.text;
}

/** Looks only at members of Node's own objects. Other objects may have members with the same names. */
function memberOf({ expression, name }) {
  const owner = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.text;
  return ['Math', 'process', 'crypto', 'webcrypto', 'globalThis'].includes(owner) ? `${owner}.${name.text}` : undefined;
}
