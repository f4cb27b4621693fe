// The steps of the release workflow, run over copies of the files that they read.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const repository = 'https://github.com/some-owner/a.name';
const programs = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win-x64.exe'];

/** A clone that can be released: its changelog has the section of the version. */
function releasableClone(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  for (const path of [
    'scripts/release',
    'scripts/release.mjs',
    'scripts/action',
    'packages/azurite',
    'packages/go',
    'openapi',
  ]) {
    cpSync(join(root, path), join(folder.path, path), { recursive: true });
  }
  for (const path of ['packages/java/pom.xml', 'packages/java/src/main/resources/tanzanite/releases.json']) {
    cpSync(join(root, path), join(folder.path, path), { recursive: true });
  }
  for (const path of ['package.json', 'LICENSE']) copyFileSync(join(root, path), join(folder.path, path));
  change(folder.path, 'package.json', (text) => text.replace(/"version": ".*"/, '"version": "1.2.3"'));
  change(folder.path, 'packages/azurite/package.json', (text) =>
    text.replace(/(?<="(?:version|tanzanite)": ")[^"]*/g, '1.2.3'),
  );
  for (const name of ['table-service', 'control-plane']) {
    change(folder.path, `openapi/${name}.yaml`, (text) => text.replace(/^ {2}version: .*$/m, '  version: 1.2.3'));
  }
  const changelog =
    '# Changelog\n\n## 1.2.30\n\n- Later.\n\n## [1.2.3] - 2026-01-01\n\n### New\n\n- This.\n\n## 1.2.2\n\n- Before.\n';
  writeFileSync(join(folder.path, 'CHANGELOG.md'), changelog);
  return folder.path;
}

function change(clone: string, path: string, edit: (text: string) => string): void {
  writeFileSync(join(clone, path), edit(readFileSync(join(clone, path), 'utf8')));
}

function makeExecutables(clone: string, names = programs): void {
  mkdirSync(join(clone, 'executables'));
  for (const name of names) writeFileSync(join(clone, 'executables', `tanzanite-${name}`), `program ${name}\n`);
}

function release(
  clone: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = { GITHUB_REPOSITORY: 'some-owner/a.name' },
) {
  const { GITHUB_REPOSITORY: _, GITHUB_SERVER_URL: __, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, 'scripts/release.mjs'), ...words], {
    env: { ...inherited, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const refused = (reason: string) => ({ status: 2, stdout: '', stderr: `release: ${reason}\n` });

describe('the version of a release', () => {
  it('is the version of the tag and of each file', () => {
    const clone = releasableClone();
    expect(release(clone, ['version', 'v1.2.3'])).toEqual({ status: 0, stdout: '1.2.3\n', stderr: '' });
    expect(release(clone, ['version', 'v1.2.4'])).toEqual(refused('the tag is v1.2.4, and package.json has 1.2.3'));
    expect(release(clone, ['version', '1.2.3'])).toEqual(refused('the tag is 1.2.3, and package.json has 1.2.3'));
    change(clone, 'openapi/control-plane.yaml', (text) => text.replace('version: 1.2.3', 'version: 1.2.2'));
    expect(release(clone, ['version'])).toEqual(refused('openapi/control-plane.yaml has the version 1.2.2, not 1.2.3'));
    change(clone, 'packages/azurite/package.json', (text) =>
      text.replace('"tanzanite": "1.2.3"', '"tanzanite": "1.2.2"'),
    );
    const dependency = 'packages/azurite/package.json depends on tanzanite 1.2.2, not 1.2.3';
    expect(release(clone, ['version'])).toEqual(refused(dependency));
  });

  it.each(['1.2', '01.2.3', '1.2.3+build', 'v1.2.3', '1.2.3-'])('cannot be %s', (version) => {
    const clone = releasableClone();
    change(clone, 'package.json', (text) => text.replace('"version": "1.2.3"', `"version": "${version}"`));
    expect(release(clone, ['version'])).toEqual(
      refused(`package.json has the version "${version}", which is not a version`),
    );
  });
});

describe('the channel of a release', () => {
  it.each([
    ['1.2.3', 'latest'],
    ['1.2.3-rc.1', 'next'],
  ])('of %s is %s', (version, channel) => {
    const clone = releasableClone();
    for (const path of [
      'package.json',
      'packages/azurite/package.json',
      'openapi/table-service.yaml',
      'openapi/control-plane.yaml',
    ]) {
      change(clone, path, (text) => text.replaceAll('1.2.3', version));
    }
    expect(release(clone, ['channel'])).toEqual({ status: 0, stdout: `${channel}\n`, stderr: '' });
  });
});

describe('the notes of a release', () => {
  it('are exactly the section of its version', () => {
    expect(release(releasableClone(), ['notes']).stdout).toBe('### New\n\n- This.\n');
  });

  it.each([
    ['## 1.2.2\n\n- Before.\n', 'CHANGELOG.md has no section ## 1.2.3'],
    ['## Unreleased: 1.2.3\n\n- This.\n', 'CHANGELOG.md calls the section of 1.2.3 unreleased: name it ## 1.2.3'],
    ['## 1.2.3\n\n## 1.2.2\n', 'the section ## 1.2.3 of CHANGELOG.md is empty'],
    ['## 1.2.3\n\n- a\n\n## 1.2.3\n\n- b\n', 'CHANGELOG.md has 2 sections ## 1.2.3'],
  ])('are refused for %j', (changelog, reason) => {
    const clone = releasableClone();
    writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
    expect(release(clone, ['notes'])).toEqual(refused(reason));
  });
});

describe('the repository', () => {
  it('is not in any package.json before a release', () => {
    for (const path of ['package.json', 'packages/azurite/package.json']) {
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
      expect(Object.keys(manifest).filter((name) => ['repository', 'homepage', 'bugs'].includes(name))).toEqual([]);
    }
  });

  it('is written into each package.json, also if the step runs twice, and the licence into each package', () => {
    const clone = releasableClone();
    for (const _ of ['first', 'second']) expect(release(clone, ['name-repository']).status).toBe(0);
    const manifest = JSON.parse(readFileSync(join(clone, 'packages/azurite/package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      homepage: `${repository}#readme`,
      bugs: { url: `${repository}/issues` },
      repository: { type: 'git', url: `git+${repository}.git`, directory: 'packages/azurite' },
    });
    expect(JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')).repository.directory).toBe(undefined);
    expect(readFileSync(join(clone, 'packages/azurite/LICENSE'), 'utf8')).toBe(
      readFileSync(join(root, 'LICENSE'), 'utf8'),
    );
  });

  it.each(['x', 'a/b/c', '../x', 'a/..', 'a/b"c', '-a/b', 'a/b\n'])('is not %j', (name) => {
    const clone = releasableClone();
    const before = readFileSync(join(clone, 'package.json'), 'utf8');
    const reason = `GITHUB_REPOSITORY is ${JSON.stringify(name)}, not owner/name`;
    expect(release(clone, ['name-repository'], { GITHUB_REPOSITORY: name })).toEqual(refused(reason));
    expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(before);
  });
});

describe('the files of a release', () => {
  it('are the same bytes each time, with their digests', () => {
    const clone = releasableClone();
    makeExecutables(clone);
    const made = ['one', 'two'].map((name) => join(clone, name));
    for (const folder of made) expect(release(clone, ['files', folder])).toEqual({ status: 0, stdout: '', stderr: '' });
    const [sums, again] = made.map((folder) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8'));
    expect(sums).toBe(again);
    expect(sums?.match(/^[0-9a-f]{64} {2}\S+$/gm)).toHaveLength(8);
    const checked = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: made[0] });
    if (checked.error === undefined) expect(checked.status).toBe(0);
  });

  it('contain the program and the licence', () => {
    const clone = releasableClone();
    makeExecutables(clone);
    release(clone, ['files', join(clone, 'made')]);
    const run = (program: string, ...words: string[]) =>
      spawnSync(program, words, { cwd: join(clone, 'made'), encoding: 'utf8' });
    expect(run('tar', '-tvzf', 'tanzanite-linux-x64.tar.gz').stdout).toMatch(
      /^-rw-r--r-- .*LICENSE\n-rwxr-xr-x .*tanzanite\n$/,
    );
    expect(run('tar', '-xOzf', 'tanzanite-linux-arm64.tar.gz', 'tanzanite').stdout).toBe('program linux-arm64\n');
    const unzip = run('unzip', '-p', 'tanzanite-win-x64.zip', 'tanzanite.exe');
    if (unzip.error === undefined) expect(unzip.stdout).toBe('program win-x64.exe\n');
  });

  it('are not made while a platform is missing, or over other files', () => {
    const clone = releasableClone();
    makeExecutables(clone, programs.slice(1));
    const reason = `there is no executable for linux-x64 in ${join(clone, 'executables')}`;
    expect(release(clone, ['files', join(clone, 'made')])).toEqual(refused(reason));
    writeFileSync(join(clone, 'executables/tanzanite-linux-x64'), '');
    release(clone, ['files', join(clone, 'made')]);
    expect(release(clone, ['files', join(clone, 'made')]).stderr).toMatch(/^release: EEXIST.*\n$/);
  });

  it('are listed by a dry run, which also says what is not ready', () => {
    const clone = releasableClone();
    makeExecutables(clone, ['linux-x64']);
    const { status, stdout } = release(clone, ['--dry-run'], {});
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^release v1\.2\.3, of .*\nnotes: \d+ characters\nnpm: tanzanite@1\.2\.3 .*\nnpm: tanzanite-azurite@1\.2\.3 /,
    );
    expect(stdout).toMatch(/^file: tanzanite-linux-x64\.tar\.gz /m);
    expect(stdout.match(/^not ready: .*$/gm)).toEqual([
      'not ready: GITHUB_REPOSITORY is not set: it is the name of the repository, owner/name',
      'not ready: no executable for linux-arm64, darwin-x64, darwin-arm64, win-x64, so neither formula nor manifest',
    ]);
  });
});

describe('the manifests of a release', () => {
  const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' };
  const address = { type: 'string', pattern: `^${repository.replaceAll('.', '\\.')}/releases/download/v` };
  /** The rules of Scoop's schema for the members that the manifest uses. */
  const scoop = {
    type: 'object',
    additionalProperties: false,
    required: ['version', 'description', 'homepage', 'license', 'architecture', 'bin', 'checkver', 'autoupdate'],
    properties: {
      version: { const: '1.2.3' },
      description: { type: 'string', maxLength: 80 },
      homepage: { const: repository },
      license: { const: 'MIT' },
      bin: { const: 'tanzanite.exe' },
      checkver: { const: { github: repository } },
      architecture: {
        type: 'object',
        properties: {
          '64bit': { type: 'object', required: ['url', 'hash'], properties: { url: address, hash: sha256 } },
        },
        required: ['64bit'],
      },
      autoupdate: {
        const: {
          architecture: { '64bit': { url: `${repository}/releases/download/v$version/tanzanite-win-x64.zip` } },
          hash: { url: '$baseurl/SHA256SUMS' },
        },
      },
    },
  };

  function manifests() {
    const clone = releasableClone();
    makeExecutables(clone);
    release(clone, ['files', join(clone, 'made')]);
    const read = (name: string) => readFileSync(join(clone, 'made', name), 'utf8');
    const sums = new Map(
      read('SHA256SUMS')
        .trim()
        .split('\n')
        .map((line) => line.split('  ').reverse() as [string, string]),
    );
    return { clone, formula: read('tanzanite.rb'), manifest: JSON.parse(read('tanzanite.json')), sums };
  }

  it("have the members that Scoop's schema requires, and the digest", () => {
    const { manifest, sums } = manifests();
    const validate = new Ajv().compile(scoop);
    expect(validate(manifest) || validate.errors).toBe(true);
    expect(manifest.architecture['64bit'].hash).toBe(sums.get('tanzanite-win-x64.zip'));
  });

  it('contain for Homebrew an address and a digest for each system, and a test', () => {
    const { clone, formula, sums } = manifests();
    const found = [...formula.matchAll(/on_(\w+) do\n {6}url "(\S+)"\n {6}sha256 "(\w+)"/g)].map(
      ([, chip, url, sum]) => [chip, url, sum],
    );
    const expected = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map((platform) => {
      const name = `tanzanite-${platform}.tar.gz`;
      return [
        platform.endsWith('arm64') ? 'arm' : 'intel',
        `${repository}/releases/download/v1.2.3/${name}`,
        sums.get(name),
      ];
    });
    expect(found).toEqual(expected);
    for (const stanza of ['desc "', 'homepage "', 'version "1.2.3"', 'license "MIT"', 'def install', 'test do']) {
      expect(formula).toContain(stanza);
    }
    expect(/desc "(.*)"/.exec(formula)?.[1]?.length).toBeLessThan(80);
    const ruby = spawnSync('ruby', ['-c', join(clone, 'made/tanzanite.rb')], { encoding: 'utf8' });
    if (ruby.error === undefined) expect(ruby.status).toBe(0);
  });
});

describe('the packages for other languages', () => {
  it('contain the archives of the release, and the repository, however often the step runs', () => {
    const clone = releasableClone();
    makeExecutables(clone);
    const files = join(clone, 'files');
    expect(release(clone, ['files', files]).status).toBe(0);
    const read = (path: string): string => readFileSync(join(clone, path), 'utf8');
    const paths = ['go/releases.json', 'go/go.mod', 'go/example_test.go', 'java/pom.xml'].map(
      (one) => `packages/${one}`,
    );
    const told = [1, 2].map(() => {
      expect(release(clone, ['language-packages', files])).toEqual({ status: 0, stdout: '', stderr: '' });
      return paths.map(read);
    });
    expect(told[1]).toEqual(told[0]);
    const [table = '', module, example, pom] = told[1] ?? [];
    const sums = read('files/SHA256SUMS');
    const { version, url, files: archives } = JSON.parse(table);
    expect({ version, url }).toEqual({ version: '1.2.3', url: `${repository}/releases/download/v1.2.3` });
    expect(Object.keys(archives).sort()).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64']);
    expect(sums).toContain(`${archives['win-x64'].sha256}  ${archives['win-x64'].name}\n`);
    expect(read('packages/java/src/main/resources/tanzanite/releases.json')).toBe(table);
    expect(read('scripts/action/releases.json')).toBe(table);
    expect(module).toContain('module github.com/some-owner/a.name/packages/go\n');
    expect(example).toContain('\t"github.com/some-owner/a.name/packages/go"\n');
    expect(pom).toContain('  <groupId>io.github.some-owner</groupId>\n  <artifactId>tanzanite</artifactId>');
    expect(pom?.match(/<connection>scm:git:https:\/\/github.com\/some-owner\/a.name.git<\/connection>/g)).toHaveLength(
      1,
    );
  });

  it('do not get files that are not archives', () => {
    const clone = releasableClone();
    writeFileSync(join(clone, 'SHA256SUMS'), `${'0'.repeat(64)}  tanzanite.rb\n`);
    expect(release(clone, ['language-packages', clone])).toEqual(
      refused('SHA256SUMS names no archive of an executable'),
    );
  });
});
