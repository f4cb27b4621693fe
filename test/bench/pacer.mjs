// Sends point reads at a constant rate that does not depend on the answers. bystander.mjs starts this script in a
// separate process. If every connection is in use, a read waits, and its latency includes the wait. In Node, this
// script can easily send a thousand reads per second. It prints the latencies, and how late its own clock was.
import { setPriority } from 'node:os';
import { openConnection } from './client.mjs';
import { pointRead } from './requests.mjs';
import { quantile } from './statistics.mjs';

const connections = 64;
const variants = 4_000;
const tickMs = 1;

const { port, table, entities, ratePerSecond, seconds } = JSON.parse(process.argv[2]);
const pick = (limit) => Math.floor(Math.random() * limit);
const requests = Array.from({ length: variants }, () => pointRead({ port, table, entities, pick }));
const idle = await Promise.all(Array.from({ length: connections }, () => openConnection({ port })));
const waiting = [];
const latencies = [];
const lateness = [];
const dueMax = ratePerSecond * seconds;
// Raises the priority of this process, so that the server and the generator of the scans do not delay its clock. If the
// priority cannot be raised, the printed lateness shows the delay.
try {
  setPriority(-10);
} catch {}

await new Promise((resolve, reject) => {
  let due = 0;
  const began = performance.now();
  const ask = async (connection, dueAt) => {
    const { status, body } = await connection.ask(requests[latencies.length % requests.length]);
    if (status !== 200) throw new Error(`a point read was answered ${status}: ${body.slice(0, 300)}`);
    latencies.push(performance.now() - dueAt);
    if (latencies.length === dueMax) return resolve();
    if (waiting.length > 0) return ask(connection, waiting.shift());
    idle.push(connection);
  };
  const ticking = setInterval(() => {
    const now = performance.now();
    const dueNow = Math.min(dueMax, Math.floor(((now - began) * ratePerSecond) / 1_000));
    for (; due < dueNow; due++) {
      lateness.push(now - began - ((due + 1) * 1_000) / ratePerSecond);
      const connection = idle.shift();
      if (connection) ask(connection, now).catch(reject);
      else waiting.push(now);
    }
    if (due === dueMax) clearInterval(ticking);
  }, tickMs);
});
console.log(
  JSON.stringify({
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    lateP99: quantile(lateness, 0.99),
  }),
);
process.exit();
