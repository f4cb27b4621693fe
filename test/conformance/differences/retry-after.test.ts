// As far as is known, the service does not send Retry-After with 503, and clients decide how long they wait before a
// retry. With `--retry-after <seconds>` (`retryAfterSeconds` in the library) Tanzanite sends the header, so that you
// can test how a client handles it.

import { describe, expect, it } from 'vitest';
import { type Service, startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

/** Starts an emulator in which the account is over its target after the first request. */
const startBusy = async (retryAfterSeconds?: number): Promise<Service> => {
  const service = await startService({
    throttle: 'enforce',
    capacity: { accountTarget: 0.01, queueLength: 0 },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  await service.get('/Tables');
  return service;
};

describe('Retry-After is sent only if it is configured', () => {
  it('is absent from 503 ServerBusy by default', async () => {
    const answer = await (await startBusy()).get('/Tables');
    expect([outcomeOf(answer), answer.header('Retry-After')]).toEqual(['503 ServerBusy', undefined]);
  });

  it('holds the configured number of seconds', async () => {
    const answer = await (await startBusy(3)).get('/Tables');
    expect([outcomeOf(answer), answer.header('Retry-After')]).toEqual(['503 ServerBusy', '3']);
  });
});
