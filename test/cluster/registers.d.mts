export type State = string | null;

export interface Operation {
  readonly text: string;
  readonly calledAt: number;
  readonly returnedAt?: number;
  readonly next: (state: State) => State | undefined;
}

export function findContradiction(operations: readonly Operation[], initial: State): string | undefined;
