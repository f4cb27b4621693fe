// One match in a partition of 1,000 entities, by a property.
import { fileURLToPath } from 'node:url';
import { readFlags } from './flags.mjs';
import { partitionEntities, partitionMatches } from './query-requests.mjs';
import { startQueryServers } from './query-servers.mjs';
import { measureScans } from './scan.mjs';

export function measurePartitionScans({ servers, entities, flags }) {
  const title = `one match in a partition of ${partitionEntities}`;
  return measureScans({ title, servers, entities, flags, render: partitionMatches, connections: 4 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = readFlags();
  const names = flags.servers.filter((name) => name !== 'ceiling');
  const { servers, entities, stop } = await startQueryServers({ names, entities: flags.scanEntities });
  await measurePartitionScans({ servers, entities, flags });
  await stop();
}
