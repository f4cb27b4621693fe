// Reads the evidence marks ("Evidence: …") in comments of src. A mark says how a behaviour of the service is known.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * The kinds of evidence about the service that a mark can name. A mark may also name `peers`, which is evidence about
 * other emulators.
 */
export const evidenceKinds = ['recorded', 'documented', 'sdk', 'assumed'];
const kindsText = evidenceKinds.join(', ');
const markPattern = /\bEvidence(?:, where not stated otherwise)?: /;
const kindPattern = new RegExp(`\\b(${[...evidenceKinds, 'peers'].join('|')})\\b`);

/**
 * Returns every mark, in the order of the files and of the places in each file: `{ file, name, statement, evidence,
 * code, owner, tree }`. `name` is the name of the declaration whose comment contains the mark. `code` is the source
 * text of that declaration, and `owner` is its syntax node. `tree` is the syntax tree of the file. Throws if a mark
 * does not name a kind of evidence.
 */
export function readMarks(root) {
  return sourceFiles(root).flatMap((file) => marksIn(file, readFileSync(join(root, file), 'utf8')));
}

export function sourceFiles(root) {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('console'))
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .sort();
}

export function marksIn(file, text) {
  if (!markPattern.test(text)) return [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  return commentsOf(text)
    .filter(({ words }) => markPattern.test(words))
    .flatMap(({ words, end, isHead }) => {
      const owner = isHead ? undefined : ownerAt(tree, end);
      const name = owner === undefined ? 'file' : nameOf(owner);
      const code = owner === undefined ? text : owner.getText();
      return statementsOf(words).map(({ statement, marks }) => {
        const evidence = marks.flatMap((mark) => evidenceOf(mark, `${file} (${name})`));
        return { file, name, statement, evidence, code, owner, tree };
      });
    })
    .filter(({ evidence }) => evidence.some(({ kind }) => evidenceKinds.includes(kind)));
}

/** The comments of a source file, each as one line of text. Consecutive lines of `//` are one comment. */
function commentsOf(text) {
  const found = [];
  for (const match of text.matchAll(/\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+|(?<=\S[ \t]+)\/\/ .*$/gm)) {
    const [comment] = match;
    const words = comment
      .replace(/^\/\*\*|\*\/$/g, '')
      .replace(/^[ \t]*(?:\*|\/\/) ?/gm, '')
      .replace(/\s+/g, ' ')
      .trim();
    found.push({ words, end: match.index + comment.length, isHead: match.index === 0 && comment.startsWith('//') });
  }
  return found;
}

/**
 * Splits a comment into statements, each with the marks that follow it. For example, `A. Evidence: x. Evidence: y.` is
 * one statement with two marks. If there is text between two marks, this text is a new statement.
 */
function statementsOf(words) {
  const [first = '', ...rest] = words.split(markPattern);
  const found = [{ statement: lastSentences(first), marks: [] }];
  for (const part of rest) {
    const [, mark = part, after = ''] = /^((?:[^.()]|\([^()]*\)|\.(?=\S))*)\.?\s*(.*)$/.exec(part) ?? [];
    found.at(-1).marks.push(mark.trim());
    if (after.trim() !== '') found.push({ statement: lastSentences(after), marks: [] });
  }
  return found.filter(({ marks }) => marks.length > 0);
}

/** The last two sentences of the text before a mark. */
function lastSentences(text) {
  const sentences = text.trim().split(/(?<=[.:])\s+(?=[A-Z`])/);
  return sentences
    .slice(-2)
    .join(' ')
    .replace(/[ ,;:(]+$/, '');
}

/**
 * Divides a mark into pieces of evidence: `recorded (py-tables); the order is assumed` contains two pieces. A clause
 * that names no kind of evidence belongs to the clause before it.
 */
function evidenceOf(mark, place) {
  const evidence = [];
  for (const clause of clausesOf(mark)) {
    const kind = kindPattern.exec(clause.replace(/\([^()]*\)/g, ''))?.[1];
    if (kind !== undefined) evidence.push(clause === kind ? { kind } : { kind, text: clause });
    else if (evidence.length === 0)
      throw new Error(`${place}: "Evidence: ${mark}" must begin with one of ${kindsText}`);
    else evidence.at(-1).text = `${evidence.at(-1).text ?? evidence.at(-1).kind}; ${clause}`;
  }
  return evidence;
}

function clausesOf(mark) {
  const clauses = mark.split(/;(?![^(]*\))|,(?=\s*(?:recorded|documented|sdk|assumed)\b)(?![^(]*\))/);
  return clauses.map((clause) => clause.trim()).filter((clause) => clause !== '');
}

/** The statement, member or function that follows a comment. */
function ownerAt(tree, end) {
  let owner;
  const visit = (node) => {
    const start = node.getStart(tree, false);
    const isOwner =
      ts.isStatement(node) || ts.isClassElement(node) || ts.isTypeElement(node) || ts.isObjectLiteralElement(node);
    if (start >= end && isOwner && (owner === undefined || start < owner.getStart(tree, false))) owner = node;
    if (node.end >= end) ts.forEachChild(node, visit);
  };
  visit(tree);
  return owner;
}

/** `outer.inner`: the names of the outermost and the innermost declaration that the node is or is in. */
function nameOf(node) {
  const names = [];
  for (let at = node; at !== undefined; at = at.parent) {
    const isNamed =
      ts.isFunctionLike(at) || ts.isClassLike(at) || ts.isInterfaceDeclaration(at) || ts.isTypeAliasDeclaration(at);
    const own = isNamed || (at === node && !ts.isStatement(at)) || ts.isVariableDeclaration(at) ? at.name : undefined;
    const declared = ts.isVariableStatement(at) ? at.declarationList.declarations[0]?.name : undefined;
    const name = own ?? declared;
    if (name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) names.unshift(name.text);
  }
  const [outer = 'file', ...inner] = names;
  return inner.length === 0 ? outer : `${outer}.${inner.at(-1)}`;
}

/**
 * Inserts calls of `globalThis.evidenceMet` into the source, and returns the result. Each place where the code of a
 * mark begins to run gets a call. The call passes the key that `keyOf` returns for the mark. A mark at a value or a
 * type gets no call, because values and types do not run.
 */
export function instrument(text, marks, keyOf) {
  const edits = marks.flatMap((mark) =>
    placesOf(mark).flatMap(({ at, until, isSingle }) => {
      const call = `globalThis.evidenceMet?.('${keyOf(mark)}')`;
      if (isSingle) return [{ at, inserted: `if (${call} || true) ` }];
      if (until === undefined) return [{ at, inserted: `${call};` }];
      return [
        { at, inserted: `(${call}, ` },
        { at: until, inserted: ')' },
      ];
    }),
  );
  return edits
    .sort((a, b) => b.at - a.at)
    .reduce((out, { at, inserted }) => out.slice(0, at) + inserted + out.slice(at), text);
}

/** Whether the requests that run the code of a mark can be counted. */
export const isCountable = (mark) => placesOf(mark).length > 0;

function placesOf({ owner, tree }) {
  if (owner === undefined) return tree.statements.flatMap(functionPlaces);
  const own = functionPlaces(owner);
  if (own.length > 0) return own;
  if (ts.isIfStatement(owner)) return [placeInBranch(owner.thenStatement)];
  for (let at = owner; at.parent !== undefined; at = at.parent) {
    const isInBlock = ts.isBlock(at.parent) || ts.isCaseOrDefaultClause(at.parent);
    if (ts.isStatement(at) && isInBlock) return [{ at: at.getStart() }];
  }
  return [];
}

/**
 * Returns the place at the beginning of a branch of an `if`. A branch without braces must remain one statement.
 * Therefore, `if (call || true)` is inserted before the statement of such a branch.
 */
function placeInBranch(branch) {
  return ts.isBlock(branch) ? { at: branch.getStart() + 1 } : { at: branch.getStart(), isSingle: true };
}

/** The places where the bodies of the functions begin that a node itself declares. */
function functionPlaces(node) {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ initializer }) =>
      initializer ? functionPlaces(initializer) : [],
    );
  }
  if (ts.isPropertyAssignment(node)) return functionPlaces(node.initializer);
  if (ts.isClassDeclaration(node))
    return node.members.flatMap((member) => (ts.isMethodDeclaration(member) ? functionPlaces(member) : []));
  if (!ts.isFunctionLike(node) || !node.body) return [];
  if (ts.isBlock(node.body)) return [{ at: node.body.getStart() + 1 }];
  return [{ at: node.body.getStart(), until: node.body.end }];
}
