// A language that the emulator reads, and the claims that must hold for every text in it.

import type fc from 'fast-check';
import { type RefusalStage, ServiceError } from '../../src/model/service-error.ts';

/** The outcome of an input. A target that refuses every input, or accepts every input, tests too little. */
export type Outcome = 'accepted' | 'refused';

export interface Target<Input = unknown> {
  readonly name: string;
  /** The target's share of all cases, in per cent. */
  readonly share: number;
  /** Generates inputs. They must be JSON values, so that a corpus can store them. */
  readonly inputs: fc.Arbitrary<Input>;
  /** Throws if a claim does not hold. */
  readonly check: (input: Input) => Outcome | Promise<Outcome>;
  /**
   * Like `check`, but checks only the claims for which no emulator is needed. These checks are fast, so they also run
   * on additional inputs. The number of additional inputs is half the number of all cases.
   */
  readonly decode?: (input: Input) => unknown;
}

/** Erases the input's type, so that a list can contain different targets. */
export function target<Input>({ decode, ...own }: Target<Input>): Target {
  return {
    ...own,
    check: (input) => own.check(input as Input),
    ...(decode ? { decode: (input) => decode(input as Input) } : {}),
  };
}

interface Refusal {
  readonly statuses?: readonly number[];
  readonly stage?: RefusalStage;
}

/** The value that was read, or undefined if reading it is refused with one of these statuses, at this stage. */
export function readOrRefuse<Value>(read: () => Value, { statuses = [400], stage }: Refusal = {}): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError) || !statuses.includes(error.status)) throw error;
    if (stage !== undefined && error.stage !== stage) throw error;
    return undefined;
  }
}
