import { expect, it } from 'vitest';
import { openTracesIfAsked, recordWith } from '../../../src/traces/open-if-asked.ts';
import { ManualTime } from '../../support/manual-time.ts';

it('Without --otlp there is no export and no timer, and the observer of requests is called directly', async () => {
  const machineTime = new ManualTime();
  const spans = await openTracesIfAsked({ otlp: undefined, machineTime });
  const observe = (): void => undefined;
  expect(spans).toBeUndefined();
  expect(recordWith(spans, observe)).toBe(observe);
  expect(machineTime.pending).toBe(0);
});

it('With --otlp env and OTEL_SDK_DISABLED it is the same', async () => {
  const machineTime = new ManualTime();
  const otlpVariables = { OTEL_SDK_DISABLED: 'true' };
  expect(await openTracesIfAsked({ otlp: 'env', otlpVariables, machineTime })).toBeUndefined();
});
