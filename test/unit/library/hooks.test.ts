// Tests what a program can observe of its emulator with `log` and `onRequest`. Also tests that the emulator refuses
// wrong calls: a misspelt member of reset(), and calls after close().

import { TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { type RequestReport, startEmulator } from '../../../src/index.ts';

const clientOf = (connectionString: string): TableClient =>
  TableClient.fromConnectionString(connectionString, 'pets', { allowInsecureConnection: true });

describe('onRequest', () => {
  it('gets a report of each request, with the reason for a refusal', async () => {
    const reports: RequestReport[] = [];
    await using emulator = await startEmulator({ onRequest: (report) => void reports.push(report) });
    const pets = clientOf(emulator.connectionString);
    await pets.createTable();
    await expect(pets.createEntity({ partitionKey: 'dog', rowKey: 'a/b' })).rejects.toThrow('out of range');
    for await (const _ of pets.listEntities({ queryOptions: { filter: "PartitionKey eq 'dog'" } })) void _;
    expect(reports).toMatchObject([
      { operation: 'CreateTable', status: 201 },
      {
        operation: 'InsertEntity',
        table: 'pets',
        code: 'OutOfRangeInput',
        why: [expect.stringContaining('"a/b"'), expect.any(String)],
      },
      { operation: 'QueryEntities', filter: "PartitionKey eq 'dog'", plan: 'partition scan', visited: 0, returned: 0 },
    ]);
  });

  it('that throws causes an error in the log, and changes no response', async () => {
    const errors: string[] = [];
    const log = {
      info: () => undefined,
      warn: () => undefined,
      error: (_: object, text: string) => void errors.push(text),
    };
    const onRequest = (): never => {
      throw new Error('mine');
    };
    await using emulator = await startEmulator({ log, onRequest });
    await clientOf(emulator.connectionString).createTable();
    expect(errors).toEqual(['onRequest failed']);
  });
});

describe('reset()', () => {
  it.each<[string, unknown, string]>([
    ['a misspelt member', { tabel: 'pets' }, 'there is no member tabel; the members are account, table, clock, faults'],
    ['a name that is none', { table: '' }, 'table must be a name'],
    ['a text', 'pets', 'the argument must be an object'],
  ])('refuses %s and empties nothing', async (_, target, message) => {
    await using emulator = await startEmulator();
    const pets = clientOf(emulator.connectionString);
    await pets.createTable();
    await pets.createEntity({ partitionKey: 'dog', rowKey: 'rex' });
    await expect(emulator.reset(target as object)).rejects.toThrow(new TypeError(`reset: ${message}`));
    await expect(pets.getEntity('dog', 'rex')).resolves.toMatchObject({ rowKey: 'rex' });
  });
});

describe('An emulator that is closed', () => {
  it('refuses every call and says that it is closed', async () => {
    const emulator = await startEmulator();
    await emulator.close();
    const closed = 'the emulator is closed';
    expect(() => emulator.account()).toThrow(closed);
    expect(() => emulator.capacity()).toThrow(closed);
    await expect(emulator.reset()).rejects.toThrow(closed);
    await expect(emulator.close()).resolves.toBeUndefined();
  });
});
