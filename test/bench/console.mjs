// Measures what an open console costs the server. Runs one row of the bench on two servers. Only the second server has
// a client that reads the stream of the Traffic page. The goal is at most 5 % of processor time.
//   node test/bench/console.mjs [--row point-read] [--pairs 20]
import { readCompareFlags } from './compare-flags.mjs';
import { compareServers } from './compare-servers.mjs';
import { startTanzanite } from './servers.mjs';

const flags = readCompareFlags();
const base = await startTanzanite({ name: 'nobody looks' });
const head = await startTanzanite({ name: 'Traffic is open' });
const stop = new AbortController();
const reading = readStream(head.port);
await compareServers({ base, head, ...flags });
stop.abort();
const { requests, dropped } = await reading;
console.log(`  the stream had ${requests} requests and left out ${dropped}`);
await Promise.all([base, head].map((server) => server.stop()));

/** Reads the stream as the page does, and counts what arrives. */
async function readStream(port) {
  const counts = { requests: 0, dropped: 0 };
  const url = `http://127.0.0.1:${port}/_emulator/events?topics=requests`;
  const { body } = await fetch(url, { signal: stop.signal });
  let text = '';
  try {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop();
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const live = JSON.parse(data);
        counts.requests += live.requests.length;
        counts.dropped += live.dropped;
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  return counts;
}
