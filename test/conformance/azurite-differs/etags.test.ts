import { expect, it } from 'vitest';
import { etagOf, timestampOf } from '../../support/expect-success.ts';
import { entityPath, startService } from '../../support/service.ts';

const service = await startService();
await service.createTable('pets');

/** The time in an ETag, in ticks of 100 ns. */
function ticksOf(etag: string): bigint {
  const [seconds = '', fraction = ''] = timestampOf(etag).replace('Z', '').split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 10_000n + BigInt(fraction.padEnd(7, '0'));
}

it('ETags of 3,000 successive writes of one entity strictly increase', { timeout: 120_000 }, async () => {
  const path = entityPath('pets');
  const etags: string[] = [];
  for (let n = 0; n < 3000; n++) {
    etags.push(etagOf(await service.send({ method: 'PUT', path, body: `{"n":${n}}` })));
  }
  const ticks = etags.map(ticksOf);
  expect(ticks.filter((tick, index) => index > 0 && tick <= (ticks[index - 1] ?? 0n))).toEqual([]);
  const last = await service.get(path);
  expect([etagOf(last), (JSON.parse(last.body) as { n: number }).n]).toEqual([etags.at(-1), 2999]);
});
