// A language that the emulator reads, and what must hold for every text of it.

import type fc from 'fast-check';
import { type RefusalStage, ServiceError } from '../../src/model/service-error.ts';

/** The outcome of an input. A target that always refuses, or always accepts, tests only half of what it should. */
export type Outcome = 'accepted' | 'refused';

export interface Target<Input = unknown> {
  readonly name: string;
  /** Its share of all cases, in per cent. */
  readonly share: number;
  /** Values that JSON can hold, so that a corpus can keep them. */
  readonly inputs: fc.Arbitrary<Input>;
  /** Throws if a claim does not hold. */
  readonly check: (input: Input) => Outcome | Promise<Outcome>;
  /** The claims of `check` that do not need an emulator. Being fast, it is tried on additional cases, half as many again. */
  readonly decode?: (input: Input) => unknown;
}

/** Erases the type of the inputs, so that a list can hold different targets. */
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

/** The value read, or undefined if the service refuses with one of these statuses, at this stage. */
export function readOrRefuse<Value>(read: () => Value, { statuses = [400], stage }: Refusal = {}): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError) || !statuses.includes(error.status)) throw error;
    if (stage !== undefined && error.stage !== stage) throw error;
    return undefined;
  }
}
