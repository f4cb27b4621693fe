// For at least 40 seconds after a table is deleted, the service refuses to create a table with the same name, and
// answers 409 TableBeingDeleted. No test should have to wait that long, so Tanzanite frees the name immediately.
//
// With `--table-delete-delay <seconds>` (`tableDeleteDelayMs` in the library), Tanzanite waits before it frees the name
// of a deleted table. You can then test code that handles 409 TableBeingDeleted. The delay ends when the emulator
// stops: after a restart, every name is free.

import { describe, expect, it } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../../src/emulator.ts';
import { createAdjustableTime } from '../../../src/model/adjustable-time.ts';
import { expectRefusal, type Refusal, refusal } from '../../support/expect-refusal.ts';
import { accepting } from '../../support/expect-success.ts';
import { entityPath, type Service, serviceAt, startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

const atOnce = await startService();
const viaLibrary = await startService({ tableDeleteDelayMs: 60_000 });

const time = createAdjustableTime();
const emulator = await runEmulator({
  ...defaultEmulatorSettings,
  port: 0,
  modelTime: time,
  tableDeleteDelayMs: 60_000,
});
const delayed = serviceAt(emulator.url, () => emulator.close());

const beingDeleted: Refusal = {
  ...refusal('TableAlreadyExists'),
  code: 'TableBeingDeleted',
  message: 'The specified table is being deleted. Try operation later.',
};

function remove(name: string): { method: string; path: string } {
  return { method: 'DELETE', path: `/Tables('${name}')` };
}

function create(name: string): { method: string; path: string; body: string } {
  return { method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: name }) };
}

async function createAndDelete(service: Service, name: string): Promise<void> {
  await service.createTable(name);
  expect((await service.send(remove(name))).status).toBe(204);
}

describe('A deleted table frees its name immediately', () => {
  it('can be created again immediately, and is empty', async () => {
    for (let round = 0; round < 3; round++) {
      await createAndDelete(atOnce, 'again');
      await atOnce.createTable('again');
      expect((await atOnce.get('/again()', accepting('nometadata'))).body).toBe('{"value":[]}');
      await atOnce.insert('again', { round });
      expect((await atOnce.send(remove('again'))).status).toBe(204);
    }
  });

  it('answers 404 TableNotFound to a read', async () => {
    await createAndDelete(atOnce, 'gone');
    expect(outcomeOf(await atOnce.get(entityPath('gone')))).toBe('404 TableNotFound');
  });

  describe('With --table-delete-delay', () => {
    it('answers 409 TableBeingDeleted when it is created again, whatever the case of its name', async () => {
      await createAndDelete(delayed, 'Held');
      for (const name of ['Held', 'held', 'hELD']) expectRefusal(await delayed.send(create(name)), beingDeleted);
      await createAndDelete(viaLibrary, 'Held');
      expectRefusal(await viaLibrary.send(create('Held')), beingDeleted);
    });

    // Evidence: sdk (azure-sdk-for-go #10813, AzureStorageExplorer #5201) for reads; the other uses are assumed.
    it('answers 404 TableNotFound to every operation on its entities and policies', async () => {
      await delayed.createTable('Used');
      await delayed.insert('Used', { n: 1 });
      await delayed.send(remove('Used'));
      const entity = { path: entityPath('used'), headers: { 'If-Match': '*' } };
      const uses = [
        { method: 'GET', path: '/Used()' },
        { method: 'GET', path: '/used()?$top=0' },
        { method: 'GET', path: entityPath('USED') },
        { method: 'POST', path: '/Used', body: '{"PartitionKey":"p","RowKey":"r"}' },
        { method: 'PUT', path: entityPath('used'), body: '{}' },
        { method: 'MERGE', path: entityPath('used'), body: '{}' },
        { method: 'PUT', ...entity, body: '{}' },
        { method: 'DELETE', ...entity },
        { method: 'GET', path: '/Used?comp=acl' },
        { method: 'PUT', path: '/Used?comp=acl', body: '' },
      ];
      for (const use of uses) {
        const outcome = outcomeOf(await delayed.send(use));
        expect([use.method, use.path, outcome]).toEqual([use.method, use.path, '404 TableNotFound']);
      }
    });

    it('is not listed, and answers 404 ResourceNotFound to Get Table and Delete Table', async () => {
      await delayed.createTable('Leaving');
      await delayed.send(remove('Leaving'));
      expect((await delayed.get('/Tables')).body).not.toContain('Leaving');
      expectRefusal(await delayed.get("/Tables('Leaving')"), refusal('ResourceNotFound'));
      expectRefusal(await delayed.send(remove('Leaving')), refusal('ResourceNotFound'));
    });

    it('leaves all other names free', async () => {
      await createAndDelete(delayed, 'one');
      expect((await delayed.send(create('other'))).status).toBe(201);
    });

    it('frees the name after the delay, and not before', async () => {
      await createAndDelete(delayed, 'soon');
      time.advance(59_000);
      expect(outcomeOf(await delayed.send(create('soon')))).toBe('409 TableBeingDeleted');
      time.advance(2_000);
      expectRefusal(await delayed.get('/soon()'), refusal('TableNotFound'));
      expect((await delayed.send(create('soon'))).status).toBe(201);
      expect((await delayed.get('/soon()', accepting('nometadata'))).body).toBe('{"value":[]}');
    });
  });
});
