import { fileURLToPath } from 'node:url';
import { createShop, customers } from './shop.mjs';
import { startTraffic } from './traffic.mjs';

const library = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

/**
 * Starts an emulator that contains the data of a shop, and starts the programs that use this data. The scalability
 * targets are scaled down, so that the load of one machine has the effects of a large load. A `pace` of 1 is about 130
 * requests per second.
 */
export async function startDemo({ port = 0, pace = 1 } = {}) {
  const { startEmulator } = await import(library);
  const emulator = await startEmulator({ port, capacity: { scale: 0.03 } });
  await createShop(emulator.connectionString);
  await emulator.snapshot('freshly seeded');
  await emulator.snapshot('products before the sale', { table: 'Products' });
  const stopTraffic = startTraffic(emulator.connectionString, pace);
  return {
    url: emulator.url,
    emulator,
    customers: customers.length,
    async stop() {
      await stopTraffic();
      await emulator.close();
    },
  };
}
