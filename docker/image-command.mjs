#!/usr/bin/env node
// `tanzanite`, `azurite` and `azurite-table` inside the image: the command line of the package, with what a container
// needs for defaults. It runs in this very process, so that signals and exit codes pass by nobody.
import { readFileSync, realpathSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const names = ['tanzanite', 'azurite', 'azurite-table'];

/**
 * The words for the command line of the package. A start listens beyond the container and keeps its data in the volume; a
 * flag given twice counts as given last, so any word of the caller's goes before these.
 */
export function readWords(words) {
  const [first] = words;
  if (names.includes(first)) return readWords(words.slice(1));
  if (first === 'start') return ['start', ...defaultsFor(words), ...words.slice(1)];
  return first === undefined || first.startsWith('-') ? [...defaultsFor(words), ...words] : words;
}

function defaultsFor(words) {
  return ['--tableHost', '0.0.0.0', ...(words.includes('--inMemoryPersistence') ? [] : ['--location', '/data'])];
}

/** Where the emulator of a container is asked whose first process was started with these words. */
export function readUrl(words) {
  const text = { type: 'string' };
  const { values } = parseArgs({
    // Behind `--`, as in `docker-init --`, nothing would be a flag.
    args: words.filter((word) => word !== '--'),
    strict: false,
    options: { tableHost: text, tablePort: text, cert: text },
  });
  const { tableHost = '0.0.0.0', tablePort = '10002', cert } = values;
  const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }[tableHost] ?? tableHost;
  return `${cert === undefined ? 'http' : 'https'}://${isIPv6(own) ? `[${own}]` : own}:${tablePort}`;
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const words = readWords(process.argv.slice(2));
  // Commands that ask an emulator mean that of this container; its certificate need not be known to its own health check.
  if (!process.env.TANZANITE_URL) {
    const url = readUrl(readFileSync('/proc/1/cmdline', 'utf8').split('\0'));
    process.env.TANZANITE_URL = url;
    if (words[0] === 'health' && url.startsWith('https:')) words.push('--insecure');
  }
  process.argv.splice(2, process.argv.length, ...words);
  await import('./dist/cli.js');
}
