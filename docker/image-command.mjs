#!/usr/bin/env node
// `tanzanite` and the programs of Azurite inside the image: the command line of the package, as a user without rights. It runs in this
// very process, so that signals and exit codes need no forwarding.
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { giveUpRoot } from './give-up-root.mjs';

const programs = ['tanzanite', 'azurite', 'azurite-blob', 'azurite-queue', 'azurite-table'];
const here = dirname(fileURLToPath(import.meta.url));

/**
 * The words for the command line of the package. `program` is the name by which the image was called, and `hasAzurite` whether it
 * holds Azurite: then `azurite` starts blobs and queues too, and the words of one of them alone begin with the name of its program.
 */
export function readWords(words, { program = 'tanzanite', hasAzurite = false } = {}) {
  const [first] = words;
  if (programs.includes(first)) return readWords(words.slice(1), { program: first, hasAzurite });
  if (first !== undefined && !first.startsWith('-')) return words;
  const isNamed = program === 'azurite-blob' || program === 'azurite-queue' || (program === 'azurite' && hasAzurite);
  return isNamed ? [program, ...words] : words;
}

/** The same of the command line of a process: what stands before the name of a program, as `docker-init --` does, is no part of it. */
export function readProcess(line, hasAzurite = false) {
  const at = line.findIndex((word) => programs.includes(basename(word)));
  return at === -1 ? [] : readWords(line.slice(at + 1), { program: basename(line[at]), hasAzurite });
}

/** The folder of the package azurite, which only one of the two images holds. */
function findAzurite() {
  try {
    return dirname(createRequire(import.meta.url).resolve('azurite/package.json'));
  } catch {
    return undefined;
  }
}

/** Replaces the words of this process and goes on as another program of Node's. */
async function become(program, words) {
  process.argv.splice(1, process.argv.length, program, ...words);
  await import(pathToFileURL(program));
}

async function main() {
  const azurite = findAzurite();
  const hasAzurite = azurite !== undefined;
  const called = readWords(process.argv.slice(2), { program: basename(process.argv[1]), hasAzurite });
  // The settings have the defaults of the image, with the data in its volume.
  process.env.TANZANITE_IMAGE = join(here, '../data');
  const { readServer, readUrl, withCopies } = await import('./dist/image-server.js');
  const server = readServer(called, process.env);
  if (server === undefined) {
    const words = [...called];
    // Commands that ask an emulator mean that of this container; its certificate need not be known to its own health check.
    if (!process.env.TANZANITE_URL) {
      const line = readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1);
      const url = readUrl(readProcess(line, hasAzurite), process.env);
      process.env.TANZANITE_URL = url;
      if (words[0] === 'health' && url.startsWith('https:')) words.push('--insecure');
    }
    giveUpRoot();
    return become(join(here, 'dist/cli.js'), words);
  }
  const words = withCopies(server, giveUpRoot(server));
  const [first] = words;
  if (first !== 'azurite-blob' && first !== 'azurite-queue') return become(join(here, 'dist/cli.js'), words);
  if (!hasAzurite) {
    console.error(`tanzanite: ${first} is in the image that is built with --target with-azurite.`);
    process.exit(2);
  }
  const { bin } = JSON.parse(readFileSync(join(azurite, 'package.json'), 'utf8'));
  return become(join(azurite, bin[first]), [...words.slice(1), '--disableTelemetry']);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
