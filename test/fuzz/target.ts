// A language that the emulator reads, and what must hold for every text of it.

import type fc from 'fast-check';
import { type RefusalStage, ServiceError } from '../../src/model/service-error.ts';

/** What became of an input. A target that only ever refuses, or only accepts, tries half of what it is about. */
export type Outcome = 'accepted' | 'refused';

export interface Target<Input = unknown> {
  readonly name: string;
  /** Its part of all cases, in per cent. */
  readonly share: number;
  /** Values that JSON can hold, so that a corpus can keep them. */
  readonly inputs: fc.Arbitrary<Input>;
  /** Throws where a claim does not hold. */
  readonly check: (input: Input) => Outcome | Promise<Outcome>;
  /** The claims of `check` that need no emulator: it is tried on half of all cases more, since it is fast. */
  readonly decode?: (input: Input) => unknown;
}

/** A list can hold targets of different inputs. */
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

/** What was read, or undefined for a refusal by an error of the service with one of these statuses, at this stage. */
export function readOrRefuse<Value>(read: () => Value, { statuses = [400], stage }: Refusal = {}): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError) || !statuses.includes(error.status)) throw error;
    if (stage !== undefined && error.stage !== stage) throw error;
    return undefined;
  }
}
