// Entity group transactions of a hundred upserts (insert-or-replace) of 1 KB, over a table that is there already: of its own
// entities first, so that it stays as large as it is, then of new ones. Tanzanite against Azurite.
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { askOnce } from './load.mjs';
import {
  addingBatches,
  batchEntities,
  partitionEntities,
  rangeEntities,
  rangeQueries,
  replacingBatches,
  upsertBatch,
} from './query-requests.mjs';
import { checkSameAnswers, isWholeBatch, scanTimeoutMs, startQueryServers } from './query-servers.mjs';
import { printComparison, runRounds } from './rounds.mjs';

const connections = 4;

export async function measureBatches({ servers: all, entities, flags: { rounds, sliceMs } }) {
  const { tanzanite, azurite } = all;
  const servers = Object.fromEntries(Object.entries({ tanzanite, azurite }).filter(([, server]) => server));
  await checkUpserts({ servers, entities });
  const measure = async (kind, nextOf) => {
    const prepare = ({ server: { port }, round }) => ({
      next: nextOf({ port, round }),
      status: 202,
      check: checkWholeBatch,
      answerTimeoutMs: scanTimeoutMs,
    });
    const result = await runRounds({ servers, prepare, rounds, sliceMs, connections });
    printComparison({
      title: `batches of ${batchEntities} upserts of ${kind} entities, ${entities.toLocaleString('en-US')} there, ${connections} connections`,
      result,
    });
    return result;
  };
  return {
    replacing: await measure('existing', ({ port }) => replacingBatches({ port, entities })),
    adding: await measure('new', ({ port, round }) => addingBatches({ port, entities, mark: round + 1 })),
  };
}

// The same batches to each server, whose entities must then be the same.
async function checkUpserts({ servers, entities }) {
  const ratio = 0.75;
  const first = Math.floor((entities / partitionEntities) * 0.6) * partitionEntities;
  for (const { port, name } of Object.values(servers)) {
    for (let start = first; start < first + partitionEntities; start += batchEntities) {
      const answer = await askOnce({
        port,
        request: upsertBatch({ port, start, ratio }),
        answerTimeoutMs: scanTimeoutMs,
      });
      if (!isWholeBatch(answer)) throw new Error(`${name} refused a batch: ${answer.body.slice(0, 500)}`);
    }
  }
  await checkSameAnswers({ servers, entities, render: rangeQueries, count: rangeEntities });
}

function checkWholeBatch([answer]) {
  if (!isWholeBatch(answer)) throw new Error(`a batch was refused: ${answer.body.slice(0, 500)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  const names = flags.servers.filter((name) => name !== 'ceiling');
  const { servers, entities, stop } = await startQueryServers({ names, entities: flags.batchEntities });
  await measureBatches({ servers, entities, flags });
  await stop();
}
