import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Capacity } from '../../../src/capacity/capacity.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { ManualTime } from '../../support/manual-time.ts';

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

const bodyChars = 100_000;
const bodies = 2_000;

/**
 * Returns a key that is a substring of a body, like the key of a real request. V8 keeps the entire body in memory as
 * long as such a key exists.
 */
function keyCutFromBody(at: number): string {
  const key = `partition-key-number-${String(at).padStart(8, '0')}`;
  const body = Buffer.from(`{"PartitionKey":"${key}","data":"${'x'.repeat(bodyChars)}"}`).toString('latin1');
  return body.slice(17, 17 + key.length);
}

describe('The memory of the model', () => {
  it.each(['observe', 'enforce'] as const)('does not keep the request in memory, with %s', (throttle) => {
    const time = new ManualTime();
    const capacity = new Capacity({
      ...defaultSettings.capacity,
      throttle,
      scale: 0.01,
      queueLength: 0,
      time,
      machineTime: time,
    });
    const meter = capacity.meter('devstoreaccount1');
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < bodies; at++) {
      const partitionKey = keyCutFromBody(at);
      void meter.admit({ table: 'T', partitionKey, isPinned: true, units: 100, waitMsMax: 1 });
      time.advance(10);
    }
    collectGarbage();
    expect(capacity.report().accounts[0]?.units).toBe(bodies * 100);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(0.1 * bodies * bodyChars);
  });
});
