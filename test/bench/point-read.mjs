// Point reads of random existing entities: Tanzanite against the ceiling and against Azurite.
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { askOnce, drive } from './load.mjs';
import { createTable, inserts, pointReads } from './requests.mjs';
import { printComparison, runRounds } from './rounds.mjs';
import { startAzurite, startCeiling, startTanzanite } from './servers.mjs';

const table = 'reads';
export const readFloor = 0.7;

export async function measurePointReads({ entities, rounds, sliceMs, connections }) {
  const tanzanite = await startTanzanite();
  const azurite = await startAzurite();
  for (const { port } of [tanzanite, azurite]) {
    await askOnce({ port, request: createTable({ port, table }) });
    const { answered } = await drive({ port, next: inserts({ port, table }), status: 204, requestsMax: entities });
    if (answered !== entities) throw new Error(`only ${answered} of ${entities} entities were loaded in time`);
  }
  const sampleOf = ({ port }) => askOnce({ port, request: pointReads({ port, table, entities: 1 })() });
  const read = await sampleOf(tanzanite);
  const ceiling = await startCeiling({ entities, read });
  const repeated = await sampleOf(ceiling);
  if (repeated.bytes !== read.bytes)
    throw new Error(`the ceiling sends ${repeated.bytes} B, Tanzanite ${read.bytes} B`);

  const prepare = ({ server: { port } }) => ({ next: pointReads({ port, table, entities }), status: 200 });
  const result = await runRounds({ servers: { tanzanite, ceiling, azurite }, prepare, rounds, sliceMs, connections });
  await Promise.all([tanzanite, ceiling, azurite].map((server) => server.stop()));
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  const result = await measurePointReads(flags);
  printComparison({
    title: `point reads, ${flags.entities} entities, ${flags.connections} connections`,
    floor: readFloor,
    result,
  });
}
