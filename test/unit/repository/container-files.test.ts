import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { imageVariable } from '../../../src/cli/process-variables.ts';
import { commandNames } from '../../../src/cli/program.ts';
import { defaultEmulatorSettings } from '../../../src/emulator.ts';
import { imageVolume } from '../../../src/settings/data-settings.ts';
import { optionRows } from '../../../src/settings/settings-table.ts';
import { readImageCommandLine } from './read-command-line.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, without comments and with continued lines joined. */
function parseDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, text: rest };
    });
}

const instructions = parseDockerfile(read('Dockerfile'));
/** The instructions of a stage that follow its FROM. */
function stageOf(name: string): readonly Instruction[] {
  const from = instructions.findIndex((found) => found.name === 'FROM' && found.text.endsWith(` AS ${name}`));
  const rest = instructions.slice(from + 1);
  return rest.slice(
    0,
    rest.findIndex((found) => found.name === 'FROM'),
  );
}

/** A reference to an argument of the build. */
const argument = (name: string): string => `\${${name}}`;

/** The stages of the image and of the image with Azurite. */
const image = stageOf('runtime');
const withAzurite = stageOf('with-azurite');
const programs = ['tanzanite', 'azurite', 'azurite-table', 'azurite-blob', 'azurite-queue'];

const labelsOf = (stage: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    [
      ...textsOf('LABEL', stage)
        .join(' ')
        .matchAll(/org\.opencontainers\.image\.([\w.]+)="([^"]*)"/g),
    ].map(([, name = '', text = '']) => [name, text]),
  );

function textsOf(name: string, stage = image): string[] {
  return stage.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** The words of an instruction in the exec form. */
function wordsOf(name: string, stage = image): string[] {
  return textsOf(name, stage).flatMap((text): string[] => JSON.parse(text.slice(text.indexOf('['))));
}

interface Dependent {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Whether a version is in the caret range of a release from 1.0.0 on. */
function isWithin(version: string, range: string): boolean {
  const parts = (text: string): number[] => text.replace(/^\^/, '').split('.').map(Number);
  const [own = [], least = []] = [parts(version), parts(range)];
  if (!range.startsWith('^') || own[0] !== least[0]) return false;
  const differing = own.findIndex((part, at) => part !== least[at]);
  return differing === -1 || (own[differing] ?? 0) > (least[differing] ?? 0);
}

describe('the target with-azurite', () => {
  const stage = withAzurite;

  it('has the names of all Azurite commands on its path, and the ports of Azurite', () => {
    expect(textsOf('RUN', stage).join(' ')).toContain(
      `for name in ${programs.join(' ')}; do ln -s /app/dist/image.js "/usr/local/bin/$name"; done`,
    );
    expect(textsOf('EXPOSE', stage)).toEqual(['10000 10001 10002']);
    expect(wordsOf('ENTRYPOINT', stage)).toEqual(['azurite']);
  });

  it('finds Azurite in the folder to which it is copied', () => {
    const copied = textsOf('COPY', stage).find((text) => text.startsWith('--from=azurite ')) ?? '';
    expect(textsOf('ENV', stage).join(' ')).toContain(` NODE_PATH=${copied.split(' ').at(-1)}`);
  });

  it('installs one release of Azurite, with its lock file', () => {
    const { dependencies }: Dependent = JSON.parse(read('docker/azurite/package.json'));
    const lock = JSON.parse(read('docker/azurite/package-lock.json'));
    expect(Object.keys(dependencies)).toEqual(['azurite']);
    expect(lock.packages['node_modules/azurite'].version).toBe(dependencies['azurite']);
  });
});

describe('the Dockerfile', () => {
  it('has only instructions', () => {
    expect(instructions.filter(({ name }) => name === '')).toEqual([]);
  });

  it('uses the base images in NODE_IMAGE and DEBIAN_IMAGE, which have the same release of Debian', () => {
    const [node, debian] = instructions.map(({ text }) => text);
    expect(node).toMatch(/^NODE_IMAGE=docker\.io\/library\/node:\d+-bookworm-slim$/);
    expect(debian).toBe('DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim');
    const froms = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text.replace(/ AS .*/, ''));
    expect(new Set(froms)).toEqual(
      new Set([
        `--platform=${argument('BUILDPLATFORM')} ${argument('NODE_IMAGE')}`,
        `--platform=${argument('BUILDPLATFORM')} ${argument('DEBIAN_IMAGE')}`,
        argument('NODE_IMAGE'),
        'build',
        'scratch',
        'runtime',
      ]),
    );
  });

  it('runs nothing in the default image, so that the image can be built for another architecture', () => {
    expect(textsOf('RUN')).toEqual([]);
  });

  it('builds the image without Azurite if no target is named', () => {
    expect(instructions.at(-1)).toEqual({ name: 'FROM', text: 'runtime' });
  });

  it('exposes the default port', () => {
    expect(textsOf('EXPOSE')).toEqual([String(defaultEmulatorSettings.port)]);
  });

  it('starts as root, which its command gives up', () => {
    for (const stage of [image, withAzurite]) expect(textsOf('USER', stage)).toEqual([]);
    expect(read('src/image/main.ts').match(/\bgiveUpRoot\(/g)).toHaveLength(2);
  });

  it('is stopped by the signal for a graceful stop', () => {
    expect(textsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('has a volume for the data, which its command names', () => {
    expect(wordsOf('VOLUME')).toEqual([optionRows.location.image]);
    expect(textsOf('WORKDIR').at(-1)).toBe(wordsOf('VOLUME')[0]);
  });

  it('starts the command of the package, reachable from outside the container', async () => {
    expect(wordsOf('ENTRYPOINT')).toEqual(['tanzanite']);
    expect(wordsOf('CMD')).toEqual([]);
    const { settings } = await readImageCommandLine([]);
    expect(settings.host).toBe('0.0.0.0');
    for (const stage of [image, withAzurite]) {
      expect(textsOf('ENV', stage).join(' ')).toContain(` ${imageVariable}=${imageVolume}`);
    }
  });

  it('has the names of the commands of Azurite on its path', () => {
    expect(textsOf('RUN', stageOf('base')).join(' ')).toContain(
      `for name in ${programs.join(' ')}; do ln -s /app/tanzanite "/base/usr/local/bin/$name"; done`,
    );
    expect(textsOf('COPY')).toContain('--from=base --chown=0:0 /base /');
    expect(textsOf('COPY')).toContain('--from=executable --chown=0:0 /build/app /app');
  });

  it('checks its health with a command of the command line', () => {
    const [check = ''] = textsOf('HEALTHCHECK');
    expect(check).toMatch(/^(--[a-z-]+=\w+ )+CMD \[/);
    expect(wordsOf('HEALTHCHECK').slice(0, 1)).toEqual(wordsOf('ENTRYPOINT'));
    expect(commandNames).toContain(wordsOf('HEALTHCHECK')[1]);
  });

  it('is labelled with the version and the licence of the package', () => {
    const manifest: { version: string; license: string } = JSON.parse(read('package.json'));
    for (const stage of [image, withAzurite]) {
      expect(textsOf('ARG', stage)).toContain(`VERSION=${manifest.version}`);
      expect(labelsOf(stage)['licenses']).toBe(manifest.license);
    }
  });

  it('has labels with the values that a release passes, and invents none', () => {
    const given = {
      version: argument('VERSION'),
      source: argument('SOURCE_URL'),
      url: argument('SOURCE_URL'),
      documentation: argument(`SOURCE_URL:+${argument('SOURCE_URL')}#readme`),
      revision: argument('REVISION'),
      created: argument('CREATED'),
    };
    for (const [stage, base] of [[image, 'DEBIAN_IMAGE'] as const, [withAzurite, 'NODE_IMAGE'] as const]) {
      expect(labelsOf(stage)).toMatchObject({ ...given, 'base.name': argument(base) });
      expect(textsOf('ARG', stage)).toEqual([
        base,
        expect.stringMatching(/^VERSION=/),
        'SOURCE_URL',
        'REVISION',
        'CREATED',
      ]);
    }
  });

  it('has the same health check and the same volume for the image with Azurite', () => {
    for (const name of ['HEALTHCHECK', 'VOLUME', 'WORKDIR', 'STOPSIGNAL']) {
      expect(textsOf(name, withAzurite)).toEqual(textsOf(name));
    }
  });

  it('installs the dependencies at the versions in the lock file, for a Node that can load them', () => {
    const { dependencies }: Dependent = JSON.parse(read('package.json'));
    const { packages } = JSON.parse(read('package-lock.json'));
    for (const [name, range] of Object.entries(dependencies)) {
      const { version }: { version: string } = packages[`node_modules/${name}`];
      expect(range.split(' || ').some((part) => isWithin(version, part))).toBe(true);
    }
    const install = textsOf('RUN', stageOf('package')).find((text) => text.includes('--omit=dev'));
    expect(install).toContain('npm ci --omit=dev --ignore-scripts --engine-strict ');
    expect(textsOf('COPY', withAzurite)).toContain('--from=package /build/package /app');
  });

  it('copies only existing files that .dockerignore does not exclude', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const sources = instructions
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1))
      .filter((source) => !source.startsWith('--'));
    expect(sources.filter((source) => !existsSync(`${root}/${source}`))).toEqual([]);
    expect([...new Set(sources)].sort()).toEqual(allowed.sort());
  });
});
