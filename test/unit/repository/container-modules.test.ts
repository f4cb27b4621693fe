import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ContainerProcess, type Image, useImages } from '../../support/image.ts';
import { type ContainerModule, containerModules } from './container-modules.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const fakeAzurite = join(root, 'test/support/fake-azurite');
const layOutImage = useImages();
const services = ['blob', 'queue', 'table'] as const;

/**
 * Returns the module's command with free ports and with the data folder of this image. The module's own ports may be in
 * use on this machine.
 */
function wordsOf({ command, entrypoint }: ContainerModule, data: string): string[] {
  const words = command
    .replace(/Port \d+/g, 'Port 0')
    .replaceAll('/data', data)
    .split(' ')
    .filter(Boolean);
  const served = entrypoint === 'azurite-blob' ? (['blob'] as const) : services;
  const missing = served.map((service) => `--${service}Port`).filter((flag) => !words.includes(flag));
  return [...words, ...missing.flatMap((flag) => [flag, '0'])];
}

function start(image: Image, module: ContainerModule): ContainerProcess {
  const { entrypoint } = module;
  return image.run(wordsOf(module, image.data), entrypoint === undefined ? {} : { entrypoint });
}

/** Waits until the port of a service is announced, and returns it. */
async function portOf(container: ContainerProcess, service: string): Promise<string> {
  const pattern = new RegExp(
    `Azurite ${service} service (?:is )?successfully listen\\w+ \\w+ http://0\\.0\\.0\\.0:(\\d+)\n`,
    'i',
  );
  return (await container.printed(pattern))[1] ?? '';
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(true)).once('error', () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });

/** Waits for the same things as the module. If one never happens, the test fails by its time limit. */
async function expectReady(container: ContainerProcess, module: ContainerModule): Promise<void> {
  for (const line of module.lines ?? []) await container.printed(new RegExp(line));
  for (const service of module.ports ?? []) {
    const port = await portOf(container, service);
    expect(await accepts(Number(port))).toBe(true);
  }
  if (module.asksBlobs) {
    const answer = await fetch(`http://127.0.0.1:${await portOf(container, 'blob')}/devstoreaccount1?comp=properties`);
    expect(answer.status).toBe(400);
  }
}

describe.skipIf(process.platform !== 'linux')('the image with Azurite', () => {
  it.each(containerModules)(
    'is ready for the module $name, and stops gracefully',
    { timeout: 120_000 },
    async (module) => {
      const image = layOutImage(fakeAzurite);
      const container = start(image, module);
      await expectReady(container, module);
      if (module.entrypoint !== 'azurite-blob') await portOf(container, 'table');
      expect(await container.end()).toBe(0);
      expect(container.stderr).toBe('');
    },
  );
});

describe.skipIf(process.platform !== 'linux')('the image without Azurite', () => {
  it.each(containerModules.filter(({ tablesOnly }) => tablesOnly))('is ready for the module $name', async (module) => {
    const image = layOutImage();
    const container = start(image, module);
    await expectReady(container, module);
    expect(await container.end()).toBe(0);
  });

  it('says which image contains azurite-blob', async () => {
    const container = layOutImage().run(['azurite-blob']);
    expect(await container.ended).toBe(2);
    expect(container.stderr).toMatch(/^tanzanite: azurite-blob is in the image .*--target with-azurite\.\n$/);
  });
});

describe('docs/containers.md', () => {
  it.each(containerModules)('links to the source of the module $name', ({ source }) => {
    const [repository = '', file = ''] = source.split(', ');
    const page = readFileSync(join(root, 'docs/containers.md'), 'utf8');
    expect(page).toContain(repository.split('/').at(-1));
    expect(page).toContain(file.split('/').at(-1));
  });
});
