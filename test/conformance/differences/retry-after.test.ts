// The service is not known to send Retry-After with 503, and clients back off by themselves. With `--retry-after <seconds>`
// (`retryAfterSeconds` in the library) it is sent, to try what a client does with it.

import { describe, expect, it } from 'vitest';
import { type Service, startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

/** One that is over the target of its account after the first request. */
const startBusy = async (retryAfterSeconds?: number): Promise<Service> => {
  const service = await startService({
    throttle: 'enforce',
    capacity: { accountTarget: 0.01, queueLength: 0 },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  await service.get('/Tables');
  return service;
};

describe('A busy answer asks to wait only where it is told to', () => {
  it('by default holds no Retry-After', async () => {
    const answer = await (await startBusy()).get('/Tables');
    expect([outcomeOf(answer), answer.header('Retry-After')]).toEqual(['503 ServerBusy', undefined]);
  });

  it('holds the seconds that were given', async () => {
    const answer = await (await startBusy(3)).get('/Tables');
    expect([outcomeOf(answer), answer.header('Retry-After')]).toEqual(['503 ServerBusy', '3']);
  });
});
