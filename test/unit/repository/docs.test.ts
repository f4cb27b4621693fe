// Runs the commands and programs of each page from top to bottom, with an emulator for the page. If a block is not run,
// a comment directly above it says why: `<!-- not run: the reason -->`. A block below `<!-- output -->` is the output
// of the block before it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createProgram } from '../../../src/cli/program.ts';
import {
  type Block,
  isBalanced,
  isOutputOf,
  readAnchors,
  readBlocks,
  readLinks,
  readPictures,
  tanzaniteCommands,
} from './docs-blocks.ts';
import { runnerOf } from './docs-runners.ts';
import { DocsSession, type Outcome, root } from './docs-session.ts';

const read = (page: string): string => readFileSync(join(root, page), 'utf8');
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`);

const pages = ['README.md', 'CONTRIBUTING.md', 'docker/README.md', ...pagesIn('docs')];
const packagePages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`);
const linkedPages = [
  ...pages,
  ...['ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md', 'test/README.md'],
  ...pagesIn('docs/adr'),
  ...pagesIn('docs/advisor'),
  ...packagePages.filter((page) => existsSync(join(root, page))),
];

const program = await createProgram({ start: async () => undefined, environment: {}, notice: () => undefined });

/** Words in a command that the command line does not know. */
function findUnknown(all: readonly string[]): readonly string[] {
  // After `--`, the words belong to another command.
  const end = all.indexOf('--');
  const words = end === -1 ? all : all.slice(0, end);
  const [first = ''] = words;
  const command = program.commands.find((known) => known.name() === (first.startsWith('-') ? 'start' : first));
  if (!command) return [first];
  const flags = words.filter((word) => /^--?[A-Za-z]/.test(word)).map((word) => word.split('=', 1)[0] ?? '');
  const known = new Set(
    [command, ...command.commands, program]
      .flatMap(({ options }) => options)
      .flatMap(({ long, short }) => [long, short]),
  );
  return flags.filter((flag) => !known.has(flag) && flag !== '-h' && flag !== '--help');
}

/** Lines of a diff that its file does not contain: the lines that it removes, and the names after `@@`. */
function findOutdated(diff: string): readonly string[] {
  return diff.split(/^(?=--- )/m).flatMap((part) => {
    const [head = '', ...lines] = part.split('\n');
    const [, file] = /^--- a\/(.+)$/.exec(head) ?? [];
    if (file === undefined) return [];
    const text = read(file);
    const expected = lines.flatMap((line) => (line.startsWith('-') ? [line.slice(1)] : line.split(/^@@ /).slice(1)));
    return expected.filter((words) => !text.includes(words)).map((words) => `${file}: ${words}`);
  });
}

/** Checks a block without running it. */
function inspect({ language, text }: Block): void {
  expect(tanzaniteCommands(text).flatMap(findUnknown)).toEqual([]);
  switch (language) {
    case 'json':
      JSON.parse(text);
      return;
    case 'yaml':
      expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]);
      return;
    case 'js': {
      const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, allowJs: true };
      const options = { fileName: 'block.mjs', reportDiagnostics: true, compilerOptions };
      expect(ts.transpileModule(text, options).diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
      return;
    }
    case 'csharp':
    case 'java':
      expect(isBalanced(text)).toBe(true);
      return;
    case 'diff': {
      // For a file that the change adds, the old file is /dev/null.
      const files = [...text.matchAll(/^--- a\/(.+)$/gm)].map(([, file = '']) => file);
      expect(files).not.toEqual([]);
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
      expect(findOutdated(text)).toEqual([]);
      return;
    }
    case 'sh':
    case 'python':
    case 'go':
    case 'text':
      return;
    default:
      throw new Error(`say in its fence what the block is; "${language}" is nothing known here`);
  }
}

interface Page {
  readonly name: string;
  readonly blocks: readonly Block[];
  /** The outcome of each block that was run, by line number. */
  readonly outcomes: Map<number, Outcome | Error>;
}

const opened: readonly Page[] = pages.map((name) => ({ name, blocks: readBlocks(read(name)), outcomes: new Map() }));

const runnerToUse = (block: Block) => (block.whyNotRun === undefined ? runnerOf(block) : undefined);

/** Runs the blocks from top to bottom, and continues after a failed block. */
async function runPage({ blocks, outcomes }: Page): Promise<void> {
  const runnable = blocks.filter((block) => runnerToUse(block)?.lacks(block.text) === undefined && runnerToUse(block));
  if (runnable.length === 0) return;
  const session = await DocsSession.open();
  try {
    for (const block of runnable) {
      outcomes.set(block.line, await session.run(block).catch((error: Error) => error));
    }
  } finally {
    await session.close();
  }
}

// Pages run in parallel, because each has its own emulator and folder.
beforeAll(() => Promise.all(opened.map(runPage)), 300_000);

describe.each(opened)('$name', ({ name, blocks, outcomes }) => {
  for (const [at, block] of blocks.entries()) {
    const { language, text, line, whyNotRun, isOutput } = block;
    const runner = runnerToUse(block);
    const lack = runner?.lacks(text);
    if (lack !== undefined) console.warn(`${name}, line ${line}: not run, ${lack}`);

    it(`has well-formed ${language} in line ${line}`, () => {
      expect(whyNotRun, 'a block that is not run has a reason').not.toBe('');
      inspect(block);
    });

    if (runner) {
      it.skipIf(lack !== undefined)(`has ${language} in line ${line} that runs${lack ? ` (${lack})` : ''}`, () => {
        const outcome = outcomes.get(line);
        if (outcome instanceof Error) throw outcome;
        expect(outcome?.status, `${outcome?.printed}${outcome?.complaints}`).toBe(0);
      });
    }
    if (isOutput) {
      it(`has the output of the previous block in line ${line}`, () => {
        const before = outcomes.get(blocks[at - 1]?.line ?? 0);
        const printed = before === undefined || before instanceof Error ? '' : before.printed;
        expect(isOutputOf(text, printed), `it prints:\n${printed}`).toBe(true);
      });
    }
  }

  it('names the language of each block', () => {
    expect(blocks.filter(({ language }) => language === '').map(({ line }) => line)).toEqual([]);
  });
});

describe.each(linkedPages)('%s', (page) => {
  it('links to existing files and headings', () => {
    const dead = readLinks(read(page)).filter((link) => {
      const [file = '', anchor] = link.split('#', 2);
      const target = file === '' ? page : normalize(join(dirname(page), file));
      if (target.startsWith('..') || !existsSync(join(root, target))) return true;
      if (anchor === undefined) return false;
      return statSync(join(root, target)).isDirectory() || !readAnchors(read(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

describe('The pictures of the console', () => {
  const shown = [
    ...new Set(pages.flatMap((page) => readPictures(read(page)).map((file) => join(dirname(page), file)))),
  ];
  const kept = readdirSync(join(root, 'docs/pictures')).map((file) => `docs/pictures/${file}`);

  it('are exactly those that the pages show', () => {
    expect(shown.sort()).toEqual(kept.sort());
  });

  it('are small', () => {
    const bytesMax = (file: string): number => (file.endsWith('screencast.webp') ? 1_000_000 : 200_000);
    expect(kept.filter((file) => statSync(join(root, file)).size > bytesMax(file))).toEqual([]);
  });

  it('each have a version for dark colours, except the screencast', () => {
    const light = kept.filter((file) => !/(-dark|screencast)\.webp$/.test(file));
    expect(light.filter((file) => !kept.includes(file.replace(/\.webp$/, '-dark.webp')))).toEqual([]);
    expect(light.length).toBeGreaterThan(0);
  });
});

/** The pages about a subject. Lists of pages are left out. */
const subjectPages = pagesIn('docs').filter((page) => page !== 'docs/README.md');
const firstExampleLineMax = 20;

describe.each(subjectPages)('%s', (page) => {
  it('begins with its purpose, in a few lines, and an example', () => {
    const text = read(page);
    const [first] = readBlocks(text);
    expect(first?.line, 'the line of the first example').toBeLessThanOrEqual(firstExampleLineMax);
    const [title, , purpose = ''] = text.split('\n');
    expect(title).toMatch(/^# \S/);
    expect(purpose).toMatch(/^[A-Z`]/);
  });
});

describe('docs/README.md', () => {
  it('lists every page once, with a description in one line', () => {
    const lines = read('docs/README.md').match(/^- .+$/gm) ?? [];
    const listed = lines.flatMap(readLinks).filter((link) => link.endsWith('.md') && !link.includes('/'));
    expect(listed.sort()).toEqual(subjectPages.map((page) => page.slice('docs/'.length)).sort());
    expect(lines.filter((line) => !/\]\([^)]+\): \S/.test(line))).toEqual([]);
  });
});

describe('README.md', () => {
  const blocks = readBlocks(read('README.md')).filter(({ language }) => language === 'sh');

  it('begins with two commands, which are enough to start', () => {
    expect(blocks.slice(0, 2).map(({ text }) => text)).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n']);
    const { scripts } = JSON.parse(read('package.json'));
    expect(scripts).toMatchObject({
      prestart: 'node scripts/build-once.mjs',
      start: 'node dist/cli.js start',
      test: 'vitest run',
    });
    // `npm ci` runs the script `prepare` at its end; CI runs this script during the checks.
    expect(read('.ci/run')).toMatch(
      /^npm ci --ignore-scripts\n(.*\n)*(?:[A-Z]+=\S+ )*npm run prepare (.*\n)*npm test /m,
    );
  });
});
