// Starts an in-memory emulator that contains data, and starts programs that send requests to the emulator. The console
// then has something to show.
//   npm run demo [-- port]
import { startDemo } from './demo/start-demo.mjs';

const defaultPort = 10_002;

const [word] = process.argv.slice(2);
const demo = await startDemo({ port: word === undefined ? defaultPort : Number(word) });
console.log(`A shop with ${demo.customers} customers is open: ${demo.url}/_emulator/console`);
console.log('Ctrl-C closes it.');
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await demo.stop();
    process.exit(0);
  });
}
