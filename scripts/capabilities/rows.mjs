// Reads the rows of the table of capabilities (operations, options, headers, limits and refusals) from openapi/ and
// src.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';

/** Files that define limits of the service, as constants with names that end in Max, Min or Range. */
const limitFiles = ['limits', 'table-name', 'access-policy', 'service-properties'].map(
  (name) => `src/model/${name}.ts`,
);
/** Request headers that OpenAPI does not describe as parameters. */
const mediaHeaders = ['Accept', 'Authorization', 'Content-Type', 'Content-Length'];
/** Names that only the emulator has, and not the service. */
const ownNames = new Set(['x-emulator-explain', 'x-emulator-why', 'x-emulator-fault', 'Server-Timing', 'Retry-After']);
/** For each file in test/conformance/differences, the rows that it is about. */
export const deliberate = {
  analytics: ['SetTableServiceProperties'],
  'any-account': ['Authorization'],
  'bearer-tokens': ['Authorization'],
  'development-account': ['Authorization'],
  'foreign-pages': ['CorsPreflightFailure', 'Origin'],
  loose: ['$top', '$orderby', 'Accept', 'Content-Type', 'If-Match', 'If-None-Match'],
  'missing-version': ['x-ms-version'],
  'newer-versions': ['x-ms-version'],
  'retry-after': ['Retry-After'],
  secondary: ['GetTableServiceStats', 'InsufficientAccountPermissions'],
  'table-being-deleted': ['TableBeingDeleted'],
  'unknown-account': ['ResourceNotFound'],
};

/** The rows `{ subject, name, done, ... }`, in the order of the page. */
export function readRows(root) {
  const description = parse(readFileSync(join(root, 'openapi/table-service.yaml'), 'utf8'));
  const rows = [
    ...operationRows(description),
    ...optionRows(description, root),
    ...headerRows(description),
    ...limitFiles.flatMap((file) => limitRows(file, readFileSync(join(root, file), 'utf8'))),
    ...refusalRows(readFileSync(join(root, 'src/model/error-catalogue.ts'), 'utf8')),
  ];
  return rows.map((row) => ({ ...row, done: doneOf(row), differences: differencesOf(row) }));
}

function doneOf({ name, isRefused }) {
  if (ownNames.has(name)) return 'own';
  if (isRefused) return 'refused';
  return differencesOf({ name }).length > 0 ? 'differs' : 'same';
}

function differencesOf({ name }) {
  return Object.entries(deliberate)
    .filter(([, names]) => names.includes(name))
    .map(([file]) => `test/conformance/differences/${file}.test.ts`);
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([verb, operation]) => ({ path, verb, operation, shared: item.parameters ?? [] })),
  );
}

function namesOf({ operationId, 'x-operations': several }) {
  return several ? several.map(({ name }) => name) : [operationId];
}

function operationRows(description) {
  const byName = new Map();
  for (const { path, verb, operation } of operationsOf(description)) {
    const verbs = (operation['x-verbs'] ?? [verb]).map((word) => word.toUpperCase());
    for (const name of namesOf(operation)) {
      const ways = byName.get(name) ?? [];
      byName.set(name, [...ways, ...verbs.map((word) => `${word} ${path}`)]);
    }
  }
  return [...byName].map(([name, ways]) => ({ subject: 'operation', name, detail: shortest(ways) }));
}

/** Leaves out ways that add nothing: POST with a tunnelled verb, and further addresses of a preflight. */
function shortest(ways) {
  const direct = ways.filter((way) => !way.startsWith('POST'));
  return ways.length > 4 ? ways[0] : [...new Set(direct.length > 0 ? direct : ways)].join(', ');
}

/** The parameters in a place (query or header), each with the operations that accept it. */
function parametersIn(description, place) {
  const found = new Map();
  for (const { operation, shared } of operationsOf(description)) {
    for (const reference of [...shared, ...(operation.parameters ?? [])]) {
      const { name, in: where } = resolve(description, reference);
      if (where !== place) continue;
      const operations = found.get(name) ?? new Set();
      for (const one of namesOf(operation)) operations.add(one);
      found.set(name, operations);
    }
  }
  return found;
}

function optionRows(description, root) {
  const all = new Set(operationsOf(description).flatMap(({ operation }) => namesOf(operation)));
  const clauses = description.components.securitySchemes.SharedAccessSignature.description.match(/`[a-z]{2,3}`/g);
  const source = readFileSync(join(root, 'src/service/negotiated-headers.ts'), 'utf8');
  const refused = /const unsupportedOptions = \[(.*)\]/.exec(source)[1].match(/\$\w+/g);
  return [
    ...[...parametersIn(description, 'query')].map(([name, operations]) => ({
      subject: 'option',
      name,
      detail: operationsText(operations, all),
    })),
    ...[...new Set(['`sig`', ...clauses])].map((quoted) => ({
      subject: 'option',
      name: quoted.slice(1, -1),
      detail: 'shared access signatures',
    })),
    ...refused.map((name) => ({ subject: 'option', name, detail: 'queries', isRefused: true })),
  ];
}

function headerRows(description) {
  const all = new Set(operationsOf(description).flatMap(({ operation }) => namesOf(operation)));
  const sent = new Map([...mediaHeaders.map((name) => [name, all]), ...parametersIn(description, 'header')]);
  const answered = new Set();
  JSON.stringify(description, (key, value) => {
    const isMap = (key === 'headers' || /^x-(part|answer)-headers$/.test(key)) && !Array.isArray(value);
    if (isMap && value !== description.components.headers) for (const name of Object.keys(value)) answered.add(name);
    return value;
  });
  return [
    ...[...sent].map(([name, operations]) => ({
      subject: 'request header',
      name,
      detail: operationsText(operations, all),
    })),
    ...[...answered].sort(byText).map((name) => ({ subject: 'response header', name })),
  ];
}

/**
 * Returns a text with the names of the operations that accept a parameter. If at most five operations do not accept the
 * parameter, the text names these operations instead: `all but …`.
 */
function operationsText(operations, all) {
  const missing = [...all].filter((name) => !operations.has(name) && name !== 'TablePreflightRequest');
  if (missing.length === 0) return 'all operations';
  if (missing.length <= 5) return `all but ${missing.join(', ')}`;
  return [...operations].join(', ');
}

function resolve(description, value) {
  if (value.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], description);
}

/** The limits in a file: constants, and members of constants, with names that end in Max, Min or Range. */
function limitRows(file, text) {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const rows = [];
  const visit = (node) => {
    const isLimit = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
    const value = isLimit && /(Max|Min|Range)$/.test(node.name.getText()) && numberIn(node.initializer);
    if (value) rows.push({ subject: 'limit', name: node.name.getText(), detail: value, file, owner: outerName(node) });
    else ts.forEachChild(node, visit);
  };
  visit(tree);
  return rows;
}

function outerName(node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isVariableDeclaration(at)) return at.name.getText();
  }
  return node.name.getText();
}

/** The number, or the two numbers, to which an initializer evaluates. Undefined for anything else. */
function numberIn(node) {
  if (ts.isAsExpression(node)) return numberIn(node.expression);
  if (ts.isNumericLiteral(node)) return Number(node.getText().replaceAll('_', '')).toLocaleString('en-US');
  if (ts.isBinaryExpression(node)) {
    const factors = node
      .getText()
      .split('*')
      .map((factor) => Number(factor.replaceAll('_', '')));
    const product = factors.reduce((one, other) => one * other, 1);
    return Number.isNaN(product) ? undefined : product.toLocaleString('en-US');
  }
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const values = node.properties.map((member) => numberIn(member.initializer));
  return values.includes(undefined) ? undefined : values.join(' to ');
}

function refusalRows(text) {
  return [...text.matchAll(/^ {2}(\w+): \[\s*(\d{3})/gm)].map(([, name, status]) => ({
    subject: 'refusal',
    name,
    detail: status,
  }));
}

export const byText = (one, other) => (one < other ? -1 : Number(one > other));
