// Measures the time that a server takes to refuse a hostile request from an unknown caller, as a multiple of the time
// for an ordinary refusal. Each hostile request fills one header, option or part of an address with text that is costly
// to parse. Run by hand:
//   node test/bench/before-authentication.mjs [--folder <checkout>] [--requests <n>] [--show <n>]
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { hostileHeads, ordinaryHead } from '../support/hostile-heads.mjs';
import { projectFolder, startTanzanite } from './servers.mjs';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: projectFolder },
    requests: { type: 'string', default: '5' },
    show: { type: 'string', default: '25' },
  },
});
const requests = Number(values.requests);
const answerTimeoutMs = 60_000;

const server = await startTanzanite({ folder: values.folder });
const host = `127.0.0.1:${server.port}`;
try {
  const ordinary = ordinaryHead({ host });
  for (let round = 0; round < 20; round++) await measure(ordinary);
  const baseMs = await measure(ordinary);
  const rows = [];
  for (const { name, text } of hostileHeads({ host })) {
    rows.push({ name, ratio: (await measure(text)) / baseMs });
  }
  rows.sort((a, b) => b.ratio - a.ratio);
  console.log(`an ordinary refusal takes ${baseMs.toFixed(2)} ms; ${rows.length} hostile ones, as multiples of it:`);
  for (const { name, ratio } of rows.slice(0, Number(values.show)))
    console.log(`${ratio.toFixed(1).padStart(8)}  ${name}`);
} finally {
  await server.stop();
}

// Returns the milliseconds until the response begins: the minimum of several measurements, because the machine also
// does other work.
async function measure(text) {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < requests; index++) least = Math.min(least, await exchange(text));
  return least;
}

// Ends the connection after the first response: after malformed input, its state is unknown.
function exchange(text) {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    let startedMs = 0;
    let answeredMs = 0;
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error('no answer')));
    socket.once('connect', () => {
      startedMs = performance.now();
      socket.write(text, 'latin1');
    });
    socket.once('data', () => {
      answeredMs = performance.now();
      socket.destroy();
    });
    socket.once('close', () => resolve(answeredMs - startedMs));
    socket.once('error', reject);
  });
}
