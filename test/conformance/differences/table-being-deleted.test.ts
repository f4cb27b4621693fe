import { describe, expect, it } from 'vitest';
import { startService } from '../service.ts';

const service = await startService();

describe('A deleted table', () => {
  // The service answers 409 TableBeingDeleted for 40 seconds and more (docs: Delete Table); no test should wait for that.
  it('can be created again at once', async () => {
    for (let round = 0; round < 3; round++) {
      await service.createTable('again');
      const { status } = await service.send({ method: 'DELETE', path: "/Tables('again')" });
      expect(status).toBe(204);
    }
  });
});
