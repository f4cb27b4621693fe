// Imitates the processes azurite-blob and azurite-queue of Azurite 3.37, as far as other processes can see them: their
// output, their sockets, their handling of signals, and the file that each process writes when it stops gracefully.
// Answers every request with 400 and the arguments of the process. `GET /exit/<code>` ends the process.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const { values } = parseArgs({
  options: {
    blobHost: text,
    blobPort: text,
    queueHost: text,
    queuePort: text,
    blobKeepAliveTimeout: text,
    location: { ...text, short: 'l' },
    cert: text,
    key: text,
    pwd: text,
    oauth: text,
    debug: { ...text, short: 'd' },
    extentMemoryLimit: text,
    silent: { ...flag, short: 's' },
    loose: { ...flag, short: 'L' },
    skipApiVersionCheck: flag,
    inMemoryPersistence: flag,
    disableProductStyleUrl: flag,
    disableTelemetry: flag,
  },
});
// This program replaces both services. The flags decide which one it is.
const service = Object.keys(values).some((name) => name.startsWith('queue')) ? 'queue' : 'blob';
const title = `Azurite ${service === 'blob' ? 'Blob' : 'Queue'} service`;
const host = values[`${service}Host`] ?? '127.0.0.1';
const port = values[`${service}Port`] ?? (service === 'blob' ? '10000' : '10001');
if (values.inMemoryPersistence && values.location) throw new Error('--location next to --inMemoryPersistence');
if (values.location) mkdirSync(values.location, { recursive: true });

console.log(`${title} is starting on ${host}:${port}`);
const server = createServer((request, response) => {
  const code = /^\/exit\/(\d+)$/.exec(request.url)?.[1];
  if (code !== undefined) process.exit(Number(code));
  response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(process.argv.slice(2)));
});
server.listen(Number(port), host, () => {
  console.log(`${title} successfully listens on http://${host}:${server.address().port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    console.log(`${title} is closing...`);
    server.close(() => {
      if (values.location) writeFileSync(join(values.location, `__azurite_db_${service}__.json`), '{}');
      console.log(`${title} successfully closed`);
    });
    server.closeAllConnections();
  });
}
