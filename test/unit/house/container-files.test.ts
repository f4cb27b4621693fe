import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { defaultSettings } from '../../../src/emulator.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile: comments left out, continued lines joined. */
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
/** What the image is: the last stage. */
const image = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));

function textsOf(name: string): string[] {
  return image.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** The words of an instruction in exec form. */
function wordsOf(name: string): string[] {
  return textsOf(name).flatMap((text): string[] => JSON.parse(text.slice(text.indexOf('['))));
}

function startCommand(): Command {
  const program = createProgram({ start: async () => undefined, environment: {}, notice: () => undefined });
  const command = program.commands.find((candidate) => candidate.name() === 'start');
  if (command === undefined) throw new Error('the program has no command start');
  return command;
}

describe('the Dockerfile', () => {
  it('has no line that is no instruction', () => {
    expect(instructions.filter(({ name }) => name === '')).toEqual([]);
  });

  it('takes the base image of every stage from NODE_IMAGE', () => {
    expect(instructions[0]).toMatchObject({ name: 'ARG', text: expect.stringMatching(/^NODE_IMAGE=/) });
    const bases = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0]);
    expect(new Set(bases)).toEqual(new Set([`\${NODE_IMAGE}`]));
  });

  it('exposes the default port', () => {
    expect(textsOf('EXPOSE')).toEqual([String(defaultSettings.port)]);
  });

  it('runs as a user without rights', () => {
    expect(textsOf('USER')).toEqual(['node']);
    const order = image.map(({ name }) => name);
    expect(order.lastIndexOf('RUN')).toBeLessThan(order.indexOf('USER'));
  });

  it('is stopped by the signal that closes in order', () => {
    expect(textsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('keeps its data in the volume that the flags name', () => {
    const words = wordsOf('ENTRYPOINT');
    expect(wordsOf('VOLUME')).toEqual([words[words.indexOf('--location') + 1]]);
  });

  it('starts the command of the package, reachable from outside the container', () => {
    const manifest: { bin: { tanzanite: string } } = JSON.parse(read('package.json'));
    const words = wordsOf('ENTRYPOINT');
    expect(words.slice(0, 3)).toEqual(['node', manifest.bin.tanzanite, 'start']);
    expect(words[words.indexOf('--tableHost') + 1]).toBe('0.0.0.0');
  });

  it('gives flags that the command line has', () => {
    const known = new Set(startCommand().options.flatMap(({ long, short }) => [long, short]));
    const flags = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')].filter((word) => word.startsWith('-'));
    expect(flags.length).toBeGreaterThan(0);
    expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
  });

  it('checks its health with a program that it copies', () => {
    const [check = ''] = textsOf('HEALTHCHECK');
    const [, script = ''] = wordsOf('HEALTHCHECK');
    expect(check).toMatch(/^(--[a-z-]+=\w+ )+CMD \["node",/);
    expect(textsOf('COPY')).toContain(`docker/${script} ./`);
  });

  it('copies from the build context only what is there and is let through', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const sources = instructions
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    expect(sources.filter((source) => !existsSync(`${root}/${source}`))).toEqual([]);
    expect([...new Set(sources)].sort()).toEqual(allowed.sort());
  });
});

describe('the health check', () => {
  it('looks where the emulator listens unless told otherwise', () => {
    const options = startCommand().options.map(({ long }) => long?.slice(2));
    const named = [...read('docker/healthcheck.mjs').matchAll(/(\w+): \{ type: 'string', default: '([^']+)' \}/g)];
    const defaults = new Map(named.map(([, name = '', value = '']) => [name, value]));
    expect([...defaults.keys()].filter((name) => !options.includes(name))).toEqual([]);
    expect(defaults.get('tablePort')).toBe(String(defaultSettings.port));
  });
});
