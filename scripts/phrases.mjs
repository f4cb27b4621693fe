// Finds phrases that made native readers stumble. Searches comments, texts of the program, titles of tests, and pages.
// Run: npm run phrases [-- FILE…].
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The patterns to search for, and what to write instead. The only flag that a pattern may have is `i`. */
const phrases = [
  { pattern: /\banew\b/i, write: 'again, or "from the beginning"' },
  { pattern: /\bbeside\b/i, write: '"next to", "alongside", "besides" or "in addition to"' },
  { pattern: /\bat once\b/i, write: '"immediately", or "at the same time"' },
  { pattern: /\bso many\b/i, write: 'the number: "burst size", "up to N", "as many"' },
  {
    pattern:
      /\bof (?:its|their|his|her) own(?=$|[^\w\s]|\s+(?:$|(?:and|or|nor|with|in|for|to|from|by|at|as|so|that|which|when|whose|who|is|are|has|have|on|no|either|meanwhile)\b))/i,
    write: '"its own X", or leave it out',
  },
  {
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|later\b|earlier\b|larger\b|smaller\b|greater\b|wider\b|better\b|different\b)[a-z]+/i,
    write: '"is not a X"',
  },
  {
    pattern: /(?<!\bas it )(?<!\brefusal )\bstands?\b(?!-)(?! (?:for|in|alone|out|still|by)\b)/i,
    write: '"is", "appears" or "comes"',
  },
  { pattern: /\b(?:stands?|stood) in\b(?! for\b)/i, write: '"is in"' },
  {
    pattern: /\b(?:is|are|was|were|be|been|read|seen|replaced|taken|kept|sent|written) whole\b/i,
    write: '"complete", "completely" or "entire"',
  },
  { pattern: /\bwhoever\b|\bwhomever\b/i, write: '"anyone who", or the subject' },
  { pattern: /\bas ever\b/i, write: '"as before"' },
  { pattern: /\bin vain\b/i, write: '"without effect", or say what does not happen' },
  { pattern: /\bread over\b/i, write: '"ignored"' },
  { pattern: /\bnobody's\b/i, write: 'what happens: "is ignored", "is not handled"' },
  { pattern: /\btold of\b/i, write: '"notified of"' },
  { pattern: /\bfor itself alone\b|\bit alone\b|\bthem alone\b/i, write: '"only"' },
  { pattern: /\bin the same moment\b/i, write: '"at the same moment"' },
  {
    pattern: /\bsome (?:hundreds?|thousands?|tens?|ten|twenty|fifty|\d+|seconds|minutes|hours|kilobytes|megabytes)\b/i,
    write: '"about N", "a few"',
  },
  { pattern: /\bwhose home is\b|\bthe home of a question\b/i, write: '"is defined in"' },
  { pattern: /\b(?:lets|let) go of\b/i, write: '"releases"' },
  { pattern: /\btakes? it along\b|\bcomes? along\b|\bcame along\b/i, write: '"is included", "is copied too"' },
  { pattern: /\bno (?:type|text|key|value) and no\b/i, write: '"neither … nor"' },
  { pattern: /\bof late\b/i, write: '"recently", "recent"' },
  { pattern: /\bfor ever\b/i, write: '"forever"' },
  { pattern: /\boutside of\b/i, write: '"outside"' },
  { pattern: /\ball the same(?=$|[.,;:)])/i, write: '"nevertheless", "still"' },
  { pattern: /\bwhich (?:is|are) none\b/i, write: 'what it is not: "which is not a version"' },
  { pattern: /\bof (?:a|the) test's own\b/i, write: '"for a test", "that only this test uses"' },
  { pattern: /\bwith much else to do\b/i, write: '"busy"' },
];

const ignored =
  /^(?:CHANGELOG\.md|LICENSE|docs\/adr\/|scripts\/licence-texts\/|scripts\/phrases\.mjs|test\/unit\/repository\/phrases\.test\.ts)/;

/** Returns the texts of a file, each with its line number. Leaves out code, quoted code in pages, and identifiers. */
function textsOf(file, content) {
  return file.endsWith('.md') ? textsOfPage(content) : textsOfSource(file, content);
}

function textsOfPage(content) {
  let inFence = false;
  return content.split('\n').flatMap((text, at) => {
    if (/^\s*```/.test(text)) inFence = !inFence;
    return inFence ? [] : [{ text: withoutCode(text), line: at + 1 }];
  });
}

/** Comments, and strings of at least two words. Such strings are help texts, log lines, errors and titles. */
function textsOfSource(file, content) {
  // Most files contain no phrase at all, not even in code. These files need not be parsed.
  if (!phrases.some(({ pattern }) => pattern.test(content))) return [];
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, false, kind);
  const found = [];
  const add = (text, start) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    for (const [at, part] of text.split('\n').entries()) found.push({ text: withoutCode(part), line: line + 1 + at });
  };
  const visit = (node) => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node);
    if (isText && /\w \w/.test(node.text)) add(node.text, node.getStart(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { 0: text, index } of content.matchAll(comment)) add(text, index);
  return found;
}

/** A web address contains `//` too, but without a space before it. */
const comment = /(?<=^|[\s;,{(])(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g;

const withoutCode = (text) => text.replace(/`[^`]*`/g, '`');

/** The faults of one file: where, what, and what to write instead. */
export function faultsOf(file, content) {
  return textsOf(file, content).flatMap(({ text, line }) =>
    phrases.flatMap(({ pattern, write }) => {
      const found = pattern.exec(text);
      return found ? [{ file, line, phrase: found[0], write }] : [];
    }),
  );
}

function run(folders) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((file) => /\.(?:md|ts|tsx|mjs|mts)$/.test(file) && !ignored.test(file));
  const faults = files.flatMap((file) => faultsOf(file, readFileSync(`${root}/${file}`, 'utf8')));
  for (const { file, line, phrase, write } of faults) console.log(`${file}:${line}: "${phrase}": write ${write}`);
  console.log(`phrases: ${files.length} files read, ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) run(process.argv.slice(2));
