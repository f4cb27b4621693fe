export type State = string | null;

export interface Operation {
  readonly text: string;
  /** The state that it makes. */
  readonly made?: State;
  /** A state that was read, now or before it. */
  readonly seen?: State;
  readonly calledAt: number;
  readonly returnedAt?: number;
  readonly next: (state: State) => State | undefined;
}

export function findContradiction(operations: readonly Operation[], initial: State): string | undefined;
