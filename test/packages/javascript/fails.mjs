// Defines tests that fail on purpose. Every runner runs the same tests, so each runner passes its own `test` function.
// test/packages/javascript.test.ts reads the reports of the runners.
import { TableClient } from '@azure/data-tables';

export const options = {
  faults: { name: 'busy', match: { operation: 'DeleteTable' }, fault: { kind: 'error', code: 'ServerBusy' } },
  clock: '2030-01-31T12:00:00Z',
};

const clientOf = (connectionString, table) =>
  TableClient.fromConnectionString(connectionString, table, {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
  });

export function defineTests(test, emulator) {
  test('is refused', async () => {
    const pets = clientOf(emulator.account().connectionString, 'pets');
    await pets.createTable();
    await pets.createEntity({ partitionKey: 'dog', rowKey: 'a/b' });
  });
  test('throws something else, and meets a fault', async () => {
    const cats = clientOf(emulator.account().connectionString, 'cats');
    await cats.deleteTable().catch(() => undefined);
    await emulator.faults.clear();
    await emulator.clock.advance(86_400_000);
    throw new Error('mine');
  });
  test('passes, with the clock and the faults of the options again', async () => {
    const { now } = emulator.clock.read();
    if (!now.startsWith('2030-01-31')) throw new Error(`the clock shows ${now}`);
    const [{ name }] = await emulator.faults.list();
    if (name !== 'busy' || emulator.refusals().length !== 0) throw new Error('something was left of another test');
    await clientOf(emulator.account().connectionString, 'x')
      .createTable()
      .catch(() => undefined);
    if (emulator.refusals()[0].code !== 'OutOfRangeInput') throw new Error('the refusal is missing');
  });
}
