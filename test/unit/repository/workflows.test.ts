import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readBlocks } from './docs-blocks.ts';

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly {
    readonly id?: string;
    readonly run?: string;
    readonly uses?: string;
    readonly with?: Readonly<Record<string, string | undefined>>;
  }[];
  readonly strategy?: { readonly matrix: { readonly os: readonly string[]; readonly node: readonly number[] } };
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.github/workflows');
const files = readdirSync(folder);
const workflows = files.map((file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const { jobs, permissions }: { jobs: Readonly<Record<string, Job>>; permissions: object } = parse(text);
  return { file, text, jobs: Object.entries(jobs), permissions };
});
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const steps = workflows.flatMap(({ jobs }) => jobs.flatMap(([, job]) => job.steps));

describe('the workflows', () => {
  it('run scripts of package.json, and existing files', () => {
    const commands = steps.flatMap(({ run }) => run?.split('\n') ?? []);
    const scripts = commands.flatMap((command) => /^npm (?:run )?([a-z:]+)/.exec(command)?.[1] ?? []);
    const known = ['ci', 'install', 'publish', ...Object.keys(manifest.scripts)];
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.filter((script) => !known.includes(script))).toEqual([]);
    const paths = commands.flatMap((command) => command.match(/\b(?:docker|scripts|test)\/[\w/.-]+/g) ?? []);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('do not print the changelog into the log, where a line that begins with :: is a command', () => {
    const prints = steps.flatMap(({ run }) => run?.match(/^.*release\.mjs notes.*$/gm) ?? []);
    expect(prints).toHaveLength(2);
    expect(prints.filter((line) => !/notes > \S+$/.test(line))).toEqual([]);
  });

  it('name every action of another repository by its commit, with its version in a comment', () => {
    const uses = workflows.flatMap(({ text }) => text.match(/uses: .*/g) ?? []);
    const others = uses.filter((line) => line !== 'uses: ./');
    expect(others.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('publish both images of the Dockerfile, and prove where each comes from', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const { jobs = [] } = workflows.find(({ file }) => file === 'release.yml') ?? {};
    const image = jobs.find(([name]) => name === 'image')?.[1].steps ?? [];
    const builds = image.filter(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    const targets = builds.map((step) => step.with?.['target']);
    expect(targets).toEqual([undefined, 'with-azurite']);
    expect(dockerfile).toMatch(/^FROM \S+ AS with-azurite$/m);
    // The tag `latest` must not name a prerelease.
    for (const { with: { tags = '' } = {} } of builds) {
      expect(
        tags
          .trim()
          .split('\n')
          .map((tag) => tag.split(':')[1]),
      ).toEqual([`\${{ needs.verify.outputs.version }}`, `\${{ needs.verify.outputs.channel }}`]);
    }
    const named = builds.map((step) => step.with?.['tags']?.split(':')[0]);
    const proved = image.filter(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'));
    expect(proved.map((step) => step.with?.['subject-name'])).toEqual(named);
    expect(proved.map((step) => step.with?.['subject-digest'])).toEqual(
      builds.map(({ id }) => `\${{ steps.${id}.outputs.digest }}`),
    );
  });

  it('audit every lock file from which an image or a clone is installed', () => {
    const locks = ['docker', 'scripts'].flatMap((parent) =>
      readdirSync(join(root, parent))
        .map((name) => `${parent}/${name}`)
        .filter((path) => existsSync(join(root, path, 'package-lock.json'))),
    );
    expect(locks).toEqual(['docker/azurite', 'scripts/node-20-driver']);
    expect(locks.filter((path) => !manifest.scripts.audit.includes(`npm --prefix ${path} audit`))).toEqual([]);
  });

  it('have read permission only, and limit the time of every job', () => {
    expect(workflows.map(({ permissions }) => permissions)).toEqual(files.map(() => ({ contents: 'read' })));
    const unbounded = workflows.flatMap(({ jobs }) => jobs.filter(([, job]) => job['timeout-minutes'] === undefined));
    expect(unbounded).toEqual([]);
  });

  it('test every Node that package.json supports, on three systems', () => {
    const matrix = workflows.flatMap(({ jobs }) => jobs).find(([name]) => name === 'test')?.[1].strategy?.matrix;
    const supported = [...manifest.engines.node.matchAll(/(\d+)\.\d+\.\d+/g)].map(([, major]) => Number(major));
    expect(matrix?.node).toEqual(supported);
    expect(matrix?.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  });
});

const actionlint = installActionlint();
const title = 'actionlint';
if (actionlint === undefined) console.warn(`${title}: skipped, go cannot install it here`);

describe.skipIf(actionlint === undefined)(title, () => {
  const planted = mkdtempSync(join(tmpdir(), 'tanzanite-workflow-'));
  afterAll(() => rmSync(planted, { recursive: true }));

  /** Runs actionlint without shellcheck and pyflakes, which may be missing. */
  function lint(...paths: string[]) {
    const args = ['-no-color', '-shellcheck=', '-pyflakes=', ...paths];
    return spawnSync(actionlint ?? '', args, { cwd: root, encoding: 'utf8' });
  }

  it('finds no error in the workflows', () => {
    const { status, stdout } = lint(...files.map((file) => join(folder, file)));
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('finds no error in the workflows of the documentation', () => {
    const blocks = readBlocks(readFileSync(join(root, 'docs/ci.md'), 'utf8'));
    const texts = blocks.map(({ text }) => text).filter((text) => /^ +runs-on:/m.test(text));
    expect(texts).toHaveLength(2);
    const copies = texts.map((text, index) => {
      const copy = join(planted, `documented-${index}.yml`);
      writeFileSync(copy, text);
      return copy;
    });
    const { status, stdout } = lint(...copies, join(root, 'docker/github-actions.yml'));
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('reports a planted error', () => {
    const file = join(planted, 'planted.yml');
    writeFileSync(file, readFileSync(join(folder, 'ci.yml'), 'utf8').replace('matrix.node', 'matrix.nodes'));
    const { status, stdout } = lint(file);
    expect(stdout).toContain('property "nodes" is not defined');
    expect(status).toBe(1);
  });
});

/** The path of actionlint in the repository's cache. Undefined if it is missing and cannot be downloaded. */
function installActionlint(): string | undefined {
  const version = 'v1.7.12';
  const bin = join(root, '.cache/actionlint', version);
  const command = join(bin, process.platform === 'win32' ? 'actionlint.exe' : 'actionlint');
  if (existsSync(command)) return command;
  const env = { ...process.env, GOBIN: bin };
  const { status } = spawnSync('go', ['install', `github.com/rhysd/actionlint/cmd/actionlint@${version}`], { env });
  return status === 0 ? command : undefined;
}
