// Checks the recorded responses of the service against the OpenAPI description. The description must fit both the
// service and the emulator.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readDescription } from '../../support/witness/description.ts';
import { Witness } from '../../support/witness/witness.ts';

const recordings = fileURLToPath(new URL('../../../../shared/recordings', import.meta.url));

interface Interaction {
  readonly method: string;
  readonly url: string;
  readonly reqBody?: string;
  readonly status: number;
  readonly resHeaders: Readonly<Record<string, string>>;
  readonly resBody?: string;
}

function interactionsIn(folder: string): Interaction[] {
  return readdirSync(join(recordings, folder)).flatMap((file) =>
    readFileSync(join(recordings, folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Interaction),
  );
}

it.for(['storage', 'storage-atom'])('describes every recorded response of the service: %s', (folder, { skip }) => {
  skip(!existsSync(join(recordings, folder)), 'the recorded sessions are not at hand');
  // Some recorders leave these headers out.
  const witness = new Witness(readDescription('table-service'), {
    lostHeaders: ['date', 'server', 'x-ms-request-id'],
  });
  const interactions = interactionsIn(folder);
  expect(interactions.length).toBeGreaterThan(100);
  const faults = new Map<string, number>();
  for (const { method, url, reqBody = '', status, resHeaders, resBody = '' } of interactions) {
    try {
      const answer = { status, headers: Object.entries(resHeaders), body: resBody ?? '' };
      witness.see({ method, path: url, body: reqBody ?? '' }, answer);
    } catch (fault) {
      const text = String(fault);
      faults.set(text, (faults.get(text) ?? 0) + 1);
    }
  }
  expect([...faults]).toEqual([]);
});
