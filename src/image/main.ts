#!/usr/bin/env node
// The entry point of the images (Dockerfile). It runs `tanzanite` or a program of Azurite as an unprivileged user. The
// program runs in this process, so that signals and exit codes need no forwarding.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findAzuriteAt } from '../cli/azurite-package.ts';
import { readServer, readUrl, withCopies } from '../cli/image-server.ts';
import { imageVariable, volumeIn } from '../cli/process-variables.ts';
import { imageVolume } from '../settings/data-settings.ts';
import { readCalledWords, readProcessWords } from './called-words.ts';
import { giveUpRoot } from './give-up-root.ts';

// Azurite is not looked up in the working folder, which is the volume, because this process still runs as root.
const azurite = findAzuriteAt(import.meta.url);
const hasAzurite = azurite !== undefined;

// The settings have the defaults of the image, with the data in its volume.
process.env[imageVariable] = volumeIn(process.env) ?? imageVolume;
await run(readCalledWords(process.argv.slice(2), { program: basename(process.argv[1] ?? ''), hasAzurite }));

async function run(called: readonly string[]): Promise<void> {
  const server = readServer(called, process.env);
  if (server === undefined) {
    const words = [...called, ...askOwnEmulator(called[0])];
    giveUpRoot();
    return runCommandLine(words);
  }
  const words = withCopies(server, giveUpRoot(server));
  const [first] = words;
  const service = first === 'azurite-blob' ? 'blob' : first === 'azurite-queue' ? 'queue' : undefined;
  if (service === undefined) return runCommandLine(words);
  if (azurite === undefined) {
    process.stderr.write(`tanzanite: ${first} is in the image that is built with --target with-azurite.\n`);
    process.exit(2);
  }
  replaceWords(azurite[service], [...words.slice(1), '--disableTelemetry']);
  await import(pathToFileURL(azurite[service]).href);
}

/**
 * Sets TANZANITE_URL to the address of the emulator in this container, so that commands such as `health` use this
 * emulator. Returns the additional flags for the command. Over https, `health` must accept any certificate, because
 * this container may have no reason to trust the emulator's certificate.
 */
function askOwnEmulator(command: string | undefined): readonly string[] {
  if (process.env['TANZANITE_URL']) return [];
  const url = readUrl(readProcessWords(readFirstCommand(), hasAzurite), process.env);
  process.env['TANZANITE_URL'] = url;
  return command === 'health' && url.startsWith('https:') ? ['--insecure'] : [];
}

/**
 * Returns the command line of the container's first process. Returns an empty list if the system hides the processes of
 * other users (hidepid).
 */
function readFirstCommand(): readonly string[] {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

async function runCommandLine(words: readonly string[]): Promise<void> {
  replaceWords(join(import.meta.dirname, 'cli.js'), words);
  await import('../cli/main.ts');
}

/** Makes this process continue as another program. */
function replaceWords(program: string, words: readonly string[]): void {
  process.argv.splice(1, process.argv.length, program, ...words);
}
