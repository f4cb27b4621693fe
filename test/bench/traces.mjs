// Measures the cost of `--otlp`: compares one row of the bench (rows.mjs) with and without a collector that accepts
// every span. The collector runs in a separate process.
//   node test/bench/traces.mjs [--row point-read] [--pairs 20]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { readCompareFlags } from './compare-flags.mjs';
import { compareServers } from './compare-servers.mjs';
import { startTanzanite } from './servers.mjs';

if (process.send) collect();
else await compare();

function collect() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.once('disconnect', () => process.exit(0));
}

async function compare() {
  const flags = readCompareFlags();
  const collector = fork(fileURLToPath(import.meta.url));
  const [port] = await once(collector, 'message');
  const base = await startTanzanite({ name: 'off' });
  const head = await startTanzanite({ name: 'otlp', flags: ['--otlp', `http://127.0.0.1:${port}`] });
  await compareServers({ base, head, ...flags });
  const metrics = await (await fetch(`http://127.0.0.1:${head.port}/_emulator/metrics`)).text();
  console.log(
    metrics
      .split('\n')
      .filter((line) => line.startsWith('tanzanite_spans_'))
      .join('\n'),
  );
  await Promise.all([base, head].map((server) => server.stop()));
  collector.disconnect();
}
