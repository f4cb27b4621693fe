// Ends with code 0 when the emulator in this container answers. Any status will do: a request without a key is refused,
// but by a service that works.
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { parseArgs } from 'node:util';

// Flags of `docker run` may say where it listens, so they are read from the container's first process.
const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
const { values } = parseArgs({
  args: words.slice(words.indexOf('start')),
  strict: false,
  options: {
    tableHost: { type: 'string', default: '0.0.0.0' },
    tablePort: { type: 'string', default: '10002' },
  },
});
const own = { '0.0.0.0': '127.0.0.1', '::': '::1' };
const host = own[values.tableHost] ?? values.tableHost;
const url = `http://${isIPv6(host) ? `[${host}]` : host}:${values.tablePort}/devstoreaccount1`;
try {
  await fetch(url, { signal: AbortSignal.timeout(2500) });
  process.exit(0);
} catch (error) {
  console.error(`${url}: ${error.cause?.message ?? error.message}`);
  process.exit(1);
}
