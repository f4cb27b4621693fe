// Queries that must look at more than they give: Tanzanite against Azurite. An answer is whole when no continuation is left.
import { pace } from './load.mjs';
import { followPages, replacements } from './query-requests.mjs';
import { checkCount, checkSameAnswers, scanTimeoutMs } from './query-servers.mjs';
import { printComparison, runRounds } from './rounds.mjs';

const matches = 1;

// title says what is scanned, `render` is one of query-requests.mjs; with writesPerSecond, a writer replaces random entities.
export async function measureScans({ title, servers, entities, flags, render, connections, writesPerSecond = 0 }) {
  const { tanzanite, azurite } = servers;
  const scanned = Object.fromEntries(Object.entries({ tanzanite, azurite }).filter(([, server]) => server));
  await checkSameAnswers({ servers: scanned, entities, render, count: matches, isFollowed: true });
  const writes = new Map(Object.values(scanned).map((server) => [server, []]));
  const prepare = ({ server, round }) => {
    const { port } = server;
    const write = async (durationMs) => {
      const next = replacements({ port, entities });
      const answerTimeoutMs = scanTimeoutMs;
      const paced = await pace({
        port,
        next,
        status: 204,
        ratePerSecond: writesPerSecond,
        durationMs,
        answerTimeoutMs,
      });
      if (round >= 0) writes.get(server).push(paced);
    };
    return {
      next: render({ port, entities }),
      follow: followPages,
      check: (pages) => checkCount(pages, matches),
      status: 200,
      answerTimeoutMs: scanTimeoutMs,
      beside: writesPerSecond > 0 ? write : undefined,
    };
  };
  const { scanRounds: rounds, scanSliceMs: sliceMs } = flags;
  // Scans are few in a slice, and one that began in the warm-up would count whole: round -1 warms enough.
  const result = await runRounds({ servers: scanned, prepare, rounds, sliceMs, warmUpMs: 0, connections });
  printComparison({
    title: `${title}, ${entities.toLocaleString('en-US')} entities, ${connections} connections`,
    result,
  });
  if (writesPerSecond > 0) printWrites(writes);
  return result;
}

function printWrites(writes) {
  const texts = [...writes].map(([{ name }, list]) => {
    const slowest = Math.max(...list.map(({ latencyMs }) => latencyMs.p99));
    const fewest = Math.min(...list.map(({ ratePerSecond }) => ratePerSecond));
    return `${name} ${fewest.toFixed(1)}/s at least, within ${slowest.toFixed(0)} ms`;
  });
  console.log(`  its writer      ${texts.join(', ')}`);
}
