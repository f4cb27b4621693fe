import { describe, expect, it } from 'vitest';
import { defaultSettings, runEmulator } from '../../../src/emulator.ts';
import { accepting } from '../answers.ts';
import { expectRefusal, type Refusal, refusal } from '../refusals.ts';
import { entityPath, serviceAt, startService } from '../service.ts';

const service = await startService();

// The service holds on to the name of a deleted table for 40 seconds and more (docs: Delete Table). No test should wait
// for that, so the emulator does it only when told to.
let aheadMs = 0;
const delayed = await runEmulator({
  ...defaultSettings,
  port: 0,
  clock: { nowMs: () => Date.now() + aheadMs },
  tableDeleteDelayMs: 60_000,
});
const slow = serviceAt(delayed.url, () => delayed.close());

const beingDeleted: Refusal = {
  ...refusal('TableAlreadyExists'),
  code: 'TableBeingDeleted',
  message: 'The specified table is being deleted. Try operation later.',
};

describe('A deleted table', () => {
  it('can be created again at once', async () => {
    for (let round = 0; round < 3; round++) {
      await service.createTable('again');
      const { status } = await service.send({ method: 'DELETE', path: "/Tables('again')" });
      expect(status).toBe(204);
    }
  });

  it('answers 409 TableBeingDeleted for as long as it is told to, and is gone meanwhile', async () => {
    await slow.createTable('Leaving');
    await slow.insert('Leaving', { n: 1 });
    await slow.createTable('staying');
    await slow.send({ method: 'DELETE', path: "/Tables('Leaving')" });

    const create = { method: 'POST', path: '/Tables', body: '{"TableName":"leaving"}' };
    expectRefusal(await slow.send(create), beingDeleted);
    for (const path of ['/Leaving()', '/leaving()?$top=0', entityPath('LEAVING')]) {
      expect([path, (await slow.get(path)).status]).toEqual([path, 409]);
    }
    expect((await slow.send({ method: 'PUT', path: entityPath('Leaving'), body: '{}' })).status).toBe(409);
    expectRefusal(await slow.get("/Tables('Leaving')"), refusal('ResourceNotFound'));
    expectRefusal(await slow.send({ method: 'DELETE', path: "/Tables('Leaving')" }), refusal('ResourceNotFound'));
    expect((await slow.get('/Tables', accepting('nometadata'))).body).toBe('{"value":[{"TableName":"staying"}]}');

    aheadMs = 59_000;
    expect((await slow.send(create)).status).toBe(409);
    aheadMs = 61_000;
    expectRefusal(await slow.get('/Leaving()'), refusal('TableNotFound'));
    expect((await slow.send(create)).status).toBe(201);
    expect((await slow.get('/leaving()', accepting('nometadata'))).body).toBe('{"value":[]}');
  });
});
