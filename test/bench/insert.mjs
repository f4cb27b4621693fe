// Single inserts with Prefer: return-no-content, each slice into a table of its own: Tanzanite against the ceiling and Azurite.
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { askOnce } from './load.mjs';
import { createTable, inserts } from './requests.mjs';
import { printComparison, runRounds } from './rounds.mjs';
import { startAzurite, startCeiling, startTanzanite } from './servers.mjs';

export async function measureInserts({ rounds, sliceMs, connections }) {
  const tanzanite = await startTanzanite();
  const azurite = await startAzurite();
  const insert = await sampleInsert(tanzanite);
  const ceiling = await startCeiling({ insert });

  const prepare = async ({ server, round }) => {
    const { port } = server;
    const table = `inserts${round + 1}`;
    if (server !== ceiling) await askOnce({ port, request: createTable({ port, table }) });
    return { next: inserts({ port, table }), status: 204 };
  };
  const result = await runRounds({ servers: { tanzanite, ceiling, azurite }, prepare, rounds, sliceMs, connections });
  await Promise.all([tanzanite, ceiling, azurite].map((server) => server.stop()));
  return result;
}

async function sampleInsert({ port }) {
  const table = 'sample';
  await askOnce({ port, request: createTable({ port, table }) });
  return askOnce({ port, request: inserts({ port, table })() });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  printComparison({ title: `single inserts, ${flags.connections} connections`, result: await measureInserts(flags) });
}
