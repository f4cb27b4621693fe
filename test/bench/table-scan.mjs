// One match in a whole table, by a number and by a string; and the same while a writer changes ten entities a second.
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { labelMatches, numberMatches } from './query-requests.mjs';
import { startQueryServers } from './query-servers.mjs';
import { measureScans } from './scan.mjs';

const connections = 2;
const writesPerSecond = 10;

export async function measureTableScans({ servers, entities, flags }) {
  const shared = { servers, entities, flags, connections };
  const number = await measureScans({ ...shared, title: 'one match in a table by number', render: numberMatches });
  const label = await measureScans({ ...shared, title: 'one match in a table by string', render: labelMatches });
  const numberWritten = await measureScans({
    ...shared,
    title: `one match in a table by number, beside ${writesPerSecond} writes/s`,
    render: numberMatches,
    writesPerSecond,
  });
  const labelWritten = await measureScans({
    ...shared,
    title: `one match in a table by string, beside ${writesPerSecond} writes/s`,
    render: labelMatches,
    writesPerSecond,
  });
  return { number, label, numberWritten, labelWritten };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  const names = flags.servers.filter((name) => name !== 'ceiling');
  const { servers, entities, stop } = await startQueryServers({ names, entities: flags.scanEntities });
  await measureTableScans({ servers, entities, flags });
  await stop();
}
