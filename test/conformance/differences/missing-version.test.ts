// A request without `x-ms-version` is answered by the service as an old version would, one that has no JSON. Every SDK
// sends the header; who leaves it out writes requests by hand, and is better served by the protocol of today.

import { describe, expect, it } from 'vitest';
import { newestVersion } from '../../../src/protocol/service-version.ts';
import { startService } from '../service.ts';

const service = await startService();

describe('A missing x-ms-version is the newest', () => {
  it('answers in JSON, and names the newest version in the answer', async () => {
    const answer = await service.get('/Tables', { 'x-ms-version': undefined });
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, newestVersion]);
    expect(answer.header('Content-Type')).toMatch(/^application\/json;odata=minimalmetadata;/);
  });

  it('treats an empty header as a missing one', async () => {
    const answer = await service.get('/Tables', { 'x-ms-version': '' });
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, newestVersion]);
  });
});
