import type { EmulatorLog } from '../model/emulator-log.ts';
import type { MachineTime, ModelTime } from '../model/time.ts';
import { Capacity, type CapacityOptions } from './capacity.ts';
import type { CapacitySettings } from './capacity-settings.ts';
import { logRefusals } from './describe-refusals.ts';
import { LoadExchange, type LoadExchangeOptions } from './load-exchange.ts';
import type { RefusalSecond } from './refusal-journal.ts';

export interface OpenCapacityOptions extends Pick<CapacityOptions, 'keyPatternOf'> {
  readonly settings: CapacitySettings;
  readonly modelTime: ModelTime;
  readonly machineTime: MachineTime;
  readonly log: EmulatorLog | undefined;
  /** What the advisor says about the keys of a table, as a sentence. */
  readonly findingOf: (account: string, table: string) => string | undefined;
  /** Present if other nodes may serve the same data. */
  readonly share: LoadExchangeOptions['share'] | undefined;
}

/** Creates the capacity model and, if other nodes may serve the same data, the exchange of loads with them. */
export function openCapacity({
  settings,
  modelTime,
  machineTime,
  log,
  keyPatternOf,
  findingOf,
  share,
}: OpenCapacityOptions): { readonly capacity: Capacity; readonly loads: LoadExchange | undefined } {
  const { throttle } = settings;
  const shared = throttle === 'off' ? undefined : share;
  const onRefusals = log && ((second: RefusalSecond) => logRefusals(second, { throttle, log, findingOf }));
  const isShared = shared !== undefined;
  const capacity = new Capacity({ ...settings, time: modelTime, machineTime, onRefusals, keyPatternOf, isShared });
  const loads =
    shared &&
    new LoadExchange({
      time: machineTime,
      share: shared,
      take: () => capacity.takeSpent(),
      onSpent: (spent) => capacity.spendElsewhere(spent),
    });
  return { capacity, loads };
}
