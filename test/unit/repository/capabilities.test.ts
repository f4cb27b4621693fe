import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { instrument, isCountable, marksIn } from '../../../scripts/capabilities/evidence-marks.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the table of capabilities', () => {
  it('equals the output of scripts/capabilities.mjs for openapi, src and the tests', () => {
    const script = ['scripts/capabilities.mjs', '--print'];
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 16 * 1_048_576 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, script, options);
    expect(status, stderr).toBe(0);
    const made = JSON.parse(stdout) as Record<string, string>;
    expect(Object.keys(made)).toEqual(['openapi/capabilities.json', 'docs/conformance.md']);
    for (const [file, text] of Object.entries(made)) {
      expect(readFileSync(`${root}/${file}`, 'utf8'), 'run: node scripts/capabilities.mjs').toBe(text);
    }
  });
});

const only = (text: string) => marksIn('src/a.ts', text);

describe('an evidence mark', () => {
  it('says how a declaration is known, with each kind of evidence', () => {
    const text =
      '/** Reads a key. Evidence: recorded (py-tables); documented (Query Entities); the order is assumed. */\nconst a = 1;';
    expect(only(text)).toMatchObject([
      {
        file: 'src/a.ts',
        name: 'a',
        statement: 'Reads a key.',
        evidence: [
          { kind: 'recorded', text: 'recorded (py-tables)' },
          { kind: 'documented', text: 'documented (Query Entities)' },
          { kind: 'assumed', text: 'the order is assumed' },
        ],
      },
    ]);
  });

  it('may be in a function, above a statement', () => {
    const text = 'function f() {\n  // No more than one. Evidence: assumed.\n  if (a) throw b;\n}\n';
    expect(only(text)).toMatchObject([{ name: 'f', statement: 'No more than one.', evidence: [{ kind: 'assumed' }] }]);
  });

  it('may occur twice in a comment, each time with its own statement', () => {
    const text = '/** One. Evidence: recorded. Two. Evidence: sdk (a; b). */\nfunction f() {}';
    const marks = only(text).map(({ statement, evidence }) => [statement, evidence.map(({ kind }) => kind)]);
    expect(marks).toEqual([
      ['One.', ['recorded']],
      ['Two.', ['sdk']],
    ]);
  });

  it('that names no kind is an error that says where it is', () => {
    expect(() => only('/** Evidence: somebody said so. */\nconst a = 1;')).toThrow(
      /src\/a\.ts \(a\).*somebody said so/,
    );
  });

  it('does not count for the service if it is only about other emulators', () => {
    expect(only('/** Evidence: peers (Azurite 3.37). */\nconst a = 1;')).toEqual([]);
  });
});

describe('requests that meet a mark', () => {
  const text = [
    '/** Evidence: recorded. */',
    'const twice = (n) => n * 2;',
    '/** Evidence: documented (a page). */',
    'function f(n) {',
    '  // Evidence: assumed.',
    "  if (n > 1) return 'many';",
    '  return twice(n);',
    '}',
    '/** Evidence: sdk (a client). */',
    'const limit = 3;',
    'f(n);',
  ].join('\n');
  const marks = only(text);
  const run = (n: number): [unknown, string[]] => {
    const met: string[] = [];
    const code = instrument(text, marks, ({ evidence: [first] }) => first!.kind).replaceAll('globalThis.', '');
    const result: unknown = new Function('n', 'evidenceMet', `${code.replace(/f\(n\);$/, 'return f(n);')}`)(
      n,
      (key: string) => met.push(key),
    );
    return [result, met];
  };

  it('are counted when the code of the mark runs: in a function, in an arrow function, after a condition', () => {
    expect(run(1)).toEqual([2, ['documented', 'recorded']]);
    expect(run(2)).toEqual(['many', ['documented', 'assumed']]);
  });

  it('are not counted for a mark at a value', () => {
    expect(marks.map(isCountable)).toEqual([true, true, true, false]);
  });
});
