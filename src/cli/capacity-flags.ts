// The flags of the capacity model: what is refused, and when.

import { type Command, Option } from 'commander';
import { defaultSettings, type EmulatorSettings } from '../emulator.ts';
import { count, dayInSeconds, factor, number } from './numbers.ts';

type CapacitySettings = EmulatorSettings['capacity'];

export interface CapacityFlags {
  readonly throttle: CapacitySettings['throttle'];
  readonly throttleScale: number;
  readonly throttleQueue: number;
  readonly throttleWaitMax: number;
  readonly accountTarget: number;
  readonly rangeTarget: number;
  readonly partitionTarget: number;
  readonly splitAfter: number;
  readonly mergeAfter: number;
  readonly moveTime: number;
  readonly retryAfter: number;
}

const { capacity } = defaultSettings;
const scaleMax = 1_000;
const queueMax = 100_000;

export function addCapacityFlags(command: Command): void {
  const seconds = factor('number of seconds', dayInSeconds);
  const target = count('target');
  command
    .addOption(
      new Option('--throttle <mode>', 'what of the scalability targets: nothing, count and report, or refuse as well')
        .choices(['off', 'observe', 'enforce'])
        .default(capacity.throttle),
    )
    .option('--throttle-scale <factor>', 'scale every target', factor('scale', scaleMax), capacity.scale)
    .option(
      '--throttle-queue <count>',
      'requests that wait; 0: few clients meet 503s, to test retries',
      number('queue', queueMax),
      capacity.queueLength,
    )
    .option(
      '--throttle-wait-max <seconds>',
      'what would wait longer is refused at once',
      seconds,
      capacity.waitMsMax / 1000,
    )
    .option('--account-target <units>', 'entities of 1 KiB a second of an account', target, capacity.accountTarget)
    .option('--range-target <units>', 'of a range partition of a table', target, capacity.rangeTarget)
    .option('--partition-target <units>', 'of a partition', target, capacity.partitionTarget)
    .option('--split-after <seconds>', 'a range hot for so long splits', seconds, capacity.splitAfterMs / 1000)
    .option('--merge-after <seconds>', 'two ranges idle for so long merge', seconds, capacity.mergeAfterMs / 1000)
    .option(
      '--move-time <seconds>',
      'a range that splits or merges refuses for so long',
      seconds,
      capacity.moveMs / 1000,
    )
    .addOption(
      new Option('--retry-after <seconds>', 'send Retry-After with 503, which the service does not; 0: do not')
        .argParser(number('number of seconds', dayInSeconds))
        .default(defaultSettings.compatibility.retryAfterSeconds),
    );
}

export function readCapacityFlags(flags: CapacityFlags): CapacitySettings {
  return {
    throttle: flags.throttle,
    scale: flags.throttleScale,
    queueLength: flags.throttleQueue,
    waitMsMax: flags.throttleWaitMax * 1000,
    accountTarget: flags.accountTarget,
    rangeTarget: flags.rangeTarget,
    partitionTarget: flags.partitionTarget,
    splitAfterMs: flags.splitAfter * 1000,
    mergeAfterMs: flags.mergeAfter * 1000,
    moveMs: flags.moveTime * 1000,
  };
}
