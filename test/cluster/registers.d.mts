export type State = string | null;

export interface Operation {
  readonly text: string;
  /** The state that the operation makes. */
  readonly made?: State;
  /** A state that the operation, or an earlier read, has seen. */
  readonly seen?: State;
  readonly calledAt: number;
  readonly returnedAt?: number;
  readonly next: (state: State) => State | undefined;
}

export function findContradiction(operations: readonly Operation[], initial: State): string | undefined;
