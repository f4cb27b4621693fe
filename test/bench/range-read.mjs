// Ranges of ten entities at random places: Tanzanite against the ceiling and against Azurite.
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { rangeEntities, rangeQueries } from './query-requests.mjs';
import { checkCount, checkSameAnswers, startQueryServers } from './query-servers.mjs';
import { printComparison, runRounds } from './rounds.mjs';

export async function measureRanges({ servers, entities, flags: { rounds, sliceMs, connections } }) {
  await checkSameAnswers({ servers, entities, render: rangeQueries, count: rangeEntities });
  const prepare = ({ server: { port } }) => ({
    next: rangeQueries({ port, entities }),
    status: 200,
    check: (pages) => checkCount(pages, rangeEntities),
  });
  const result = await runRounds({ servers, prepare, rounds, sliceMs, connections });
  printComparison({
    title: `ranges of ${rangeEntities}, ${entities.toLocaleString('en-US')} entities, ${connections} connections`,
    result,
  });
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  const { servers, entities, stop } = await startQueryServers({ names: flags.servers, entities: flags.queryEntities });
  await measureRanges({ servers, entities, flags });
  await stop();
}
