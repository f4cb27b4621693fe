// Defines a test that writes until its process ends. The test reports each step to a watcher, over a connection that
// ends with the process.
import { connect } from 'node:net';
import { TableClient } from '@azure/data-tables';

const watcher = connect(Number(process.env['WATCHER_PORT']), '127.0.0.1').unref();
const tell = (moment) => new Promise((resolve) => watcher.write(`${moment}\n`, resolve));

export function defineTests(test, useEmulator) {
  tell('loaded');
  const emulator = useEmulator();
  test('writes until its process ends', async () => {
    await tell(`started ${emulator.url}`);
    const options = { allowInsecureConnection: true };
    const pets = TableClient.fromConnectionString(emulator.account().connectionString, 'pets', options);
    await pets.createTable();
    for (let count = 0; ; count++) {
      await pets.createEntity({ partitionKey: 'dog', rowKey: `${count}` });
      await tell('written');
    }
  });
}
