import type { AdjustableTime } from '../../model/adjustable-time.ts';
import {
  type ClockChange,
  type ClockSetting,
  changeClock,
  isTurned,
  parseClockSetting,
  unturnedClock,
} from '../../model/clock-setting.ts';
import { type ClockState, clockStateOf } from '../../model/clock-state.ts';
import type { MachineTime } from '../../model/time.ts';
import type { SharedTexts } from '../../storage/shared-texts.ts';
import { SharedValue } from '../shared-value.ts';

export interface ServiceClockOptions {
  readonly time: AdjustableTime;
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Present if several nodes share the clock. */
  readonly texts?: SharedTexts | undefined;
  /** Resolves when all requests that a change has released are answered. */
  readonly whenDone: () => Promise<void>;
}

/** The longest wait for released requests: a fault may hold one of them back. */
const doneMsMax = 30_000;

/** The clock of the emulated service, which people and tests can set. */
export class ServiceClock {
  readonly #options: ServiceClockOptions;
  readonly #shared: SharedValue<ClockSetting> | undefined;

  constructor(options: ServiceClockOptions) {
    this.#options = options;
    const { time, texts, machineTime } = options;
    // If the clock of the service was never changed, this process keeps the time that it was given.
    const onValue = (setting?: ClockSetting): void => {
      if (setting) time.adopt(setting);
    };
    this.#shared = texts && new SharedValue({ texts, name: 'clock', machineTime, parse: parseClockSetting, onValue });
  }

  /**
   * Starts to follow the clock of the service. If the clock was changed before, returns a notice. Rejects with
   * StoreUnavailable.
   */
  async open(): Promise<string | undefined> {
    await this.#shared?.open();
    if (!this.#shared || !isTurned(this.#options.time.setting)) return undefined;
    const { now, isFrozen } = this.state();
    return `The clock of this service was changed, and is ${isFrozen ? 'frozen at' : 'at'} ${now}: tanzanite clock release puts it back.`;
  }

  state(): ClockState {
    return clockStateOf(this.#options.time);
  }

  /**
   * Changes the clock. Resolves when this node has done the work that became due. Rejects with StoreUnavailable, or
   * with the RangeError of changeClock. If changeClock refuses the change, nothing changes.
   */
  async change(change: ClockChange): Promise<ClockState> {
    const { time } = this.#options;
    const changed = (setting = unturnedClock): ClockSetting => changeClock(setting, change, time.sourceNowMs());
    if (this.#shared) await this.#shared.change(changed);
    else time.adopt(changed(time.setting));
    await this.#done();
    return this.state();
  }

  close(): void {
    this.#shared?.close();
  }

  async #done(): Promise<void> {
    const { whenDone, machineTime } = this.#options;
    await new Promise<void>((resolve) => {
      const cancel = machineTime.after(doneMsMax, resolve);
      void whenDone().then(() => {
        cancel();
        resolve();
      });
    });
  }
}
