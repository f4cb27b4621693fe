#!/usr/bin/env node
// `tanzanite` and the programs of Azurite inside the image: the command line of the package, with the defaults that a container
// needs, as a user without rights. It runs in this very process, so that signals and exit codes need no forwarding.
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIPv6 } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { giveUpRoot } from './give-up-root.mjs';

const programs = ['tanzanite', 'azurite', 'azurite-blob', 'azurite-queue', 'azurite-table'];
const here = dirname(fileURLToPath(import.meta.url));

/**
 * The words for the command line of the package. A start listens beyond the container and keeps its data in the volume, unless
 * the caller or a variable says otherwise. `program` is the name by which the image was called, and `hasAzurite` whether it holds Azurite: then
 * `azurite` starts blobs and queues too, and the words of one of them alone begin with the name of its program.
 */
export function readWords(words, called = {}) {
  const { program = 'tanzanite', data = '/data', hasAzurite = false, environment = {} } = called;
  const [first] = words;
  if (programs.includes(first)) return readWords(words.slice(1), { ...called, program: first });
  const withDefaults = (own, ...services) => [...defaultsFor(own, { data, services, environment }), ...own];
  if (first === 'start') return ['start', ...withDefaults(words.slice(1), 'table')];
  if (first !== undefined && !first.startsWith('-')) return words;
  if (program === 'azurite-blob') return [program, ...withDefaults(words, 'blob')];
  if (program === 'azurite-queue') return [program, ...withDefaults(words, 'queue')];
  if (program === 'azurite' && hasAzurite) return [program, ...withDefaults(words, 'blob', 'queue', 'table')];
  return withDefaults(words, 'table');
}

/**
 * Only what words and variables leave out: a flag wins over a variable, and Azurite's own programs take a flag that is given twice
 * for a list. `azurite-blob` and `azurite-queue` alone read no variables.
 */
function defaultsFor(words, { data, services, environment: variables }) {
  const environment = services.includes('table') ? variables : {};
  const has = (...names) => words.some((word) => names.includes(word.split('=', 1)[0]));
  const isSet = (name) => Boolean(environment[name]);
  const hosts = services
    .filter((service) => !has(`--${service}Host`, `--${service}-host`))
    .filter((service) => service !== 'table' || !isSet('TANZANITE_TABLE_HOST'))
    .map((service) => `--${service}Host`);
  const isInMemory = environment['TANZANITE_IN_MEMORY_PERSISTENCE'] === 'true';
  const isElsewhere =
    has('--inMemoryPersistence', '--in-memory-persistence', '--location', '-l', '--store') ||
    isInMemory ||
    isSet('TANZANITE_LOCATION') ||
    isSet('TANZANITE_STORE');
  return [...hosts.flatMap((flag) => [flag, '0.0.0.0']), ...(isElsewhere ? [] : ['--location', data])];
}

/** Where the emulator of a container is asked whose first process was started with these words. */
export function readUrl(words, environment = {}) {
  const text = { type: 'string' };
  const { values } = parseArgs({
    // Behind `--`, as in `docker-init --`, nothing would be a flag.
    args: words.filter((word) => word !== '--'),
    strict: false,
    options: { tableHost: text, 'table-host': text, tablePort: text, 'table-port': text, cert: text },
  });
  const given = (member, other, variable) => values[member] ?? values[other] ?? (environment[variable] || undefined);
  const tableHost = given('tableHost', 'table-host', 'TANZANITE_TABLE_HOST') ?? '0.0.0.0';
  const tablePort = given('tablePort', 'table-port', 'TANZANITE_TABLE_PORT') ?? '10002';
  const cert = given('cert', 'cert', 'TANZANITE_CERT');
  const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }[tableHost] ?? tableHost;
  return `${cert === undefined ? 'http' : 'https'}://${isIPv6(own) ? `[${own}]` : own}:${tablePort}`;
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
  const called = {
    program: basename(process.argv[1]),
    data: join(here, '../data'),
    hasAzurite: azurite !== undefined,
    environment: process.env,
  };
  const words = giveUpRoot(readWords(process.argv.slice(2), called), process.env);
  const [first] = words;
  if (first === 'azurite-blob' || first === 'azurite-queue') {
    if (azurite === undefined) {
      console.error(`tanzanite: ${first} is in the image that is built with --target with-azurite.`);
      process.exit(2);
    }
    const { bin } = JSON.parse(readFileSync(join(azurite, 'package.json'), 'utf8'));
    return become(join(azurite, bin[first]), [...words.slice(1), '--disableTelemetry']);
  }
  // Commands that ask an emulator mean that of this container; its certificate need not be known to its own health check.
  if (!process.env.TANZANITE_URL) {
    const url = readUrl(readFileSync('/proc/1/cmdline', 'utf8').split('\0'), process.env);
    process.env.TANZANITE_URL = url;
    if (first === 'health' && url.startsWith('https:')) words.push('--insecure');
  }
  return become(join(here, 'dist/cli.js'), words);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
