// Full pages from random partitions on: Tanzanite against the ceiling and against Azurite.
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { pageEntities, pageQueries } from './query-requests.mjs';
import { checkCount, checkSameAnswers, startQueryServers } from './query-servers.mjs';
import { printComparison, runRounds } from './rounds.mjs';

const connections = 4;

export async function measurePages({ servers, entities, flags: { rounds, sliceMs } }) {
  await checkSameAnswers({ servers, entities, render: pageQueries, count: pageEntities });
  const prepare = ({ server: { port } }) => ({
    next: pageQueries({ port, entities }),
    status: 200,
    check: (pages) => checkCount(pages, pageEntities),
  });
  const result = await runRounds({ servers, prepare, rounds, sliceMs, connections });
  printComparison({
    title: `pages of ${pageEntities}, ${entities.toLocaleString('en-US')} entities, ${connections} connections`,
    result,
  });
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  const { servers, entities, stop } = await startQueryServers({ names: flags.servers, entities: flags.queryEntities });
  await measurePages({ servers, entities, flags });
  await stop();
}
