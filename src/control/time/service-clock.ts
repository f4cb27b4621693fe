import type { AdjustableTime } from '../../model/adjustable-time.ts';
import { type ClockChange, changeClock } from '../../model/clock-setting.ts';
import { type ClockState, clockStateOf } from '../../model/clock-state.ts';
import type { MachineTime } from '../../model/time.ts';

export interface ServiceClockOptions {
  readonly time: AdjustableTime;
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Resolves when the requests are answered that a change has let go on. */
  readonly whenDone: () => Promise<void>;
}

/** A request that was let go on may be held back on purpose: nobody waits longer for it. */
const doneMsMax = 30_000;

/** The clock of the emulated service, as people and tests turn it. */
export class ServiceClock {
  readonly #options: ServiceClockOptions;

  constructor(options: ServiceClockOptions) {
    this.#options = options;
  }

  state(): ClockState {
    return clockStateOf(this.#options.time);
  }

  /** Resolves when what became due is done. Rejects with RangeError, having changed nothing: see changeClock. */
  async change(change: ClockChange): Promise<ClockState> {
    const { time } = this.#options;
    time.adopt(changeClock(time.setting, change, time.sourceNowMs()));
    await this.#done();
    return this.state();
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
