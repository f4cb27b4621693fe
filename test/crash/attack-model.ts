// What the data may be during an attack: every state that the answers so far allow.

export interface TableState {
  readonly policy: string;
  readonly rows: Readonly<Record<string, string>>;
}

/** By the name of the table. */
type Tables = Readonly<Record<string, TableState>>;

export interface AccountState {
  readonly tables: Tables;
  /** The age in the CORS rule of the service; 0 without one. */
  readonly age: number;
  /** By name; a snapshot of one table has no age. */
  readonly snapshots: Readonly<Record<string, { readonly tables: Tables; readonly age?: number }>>;
}

/** By the name of the account. */
export type State = Readonly<Record<string, AccountState>>;

/** An answer: done, refused, or neither is known. */
export type Answer = 'done' | 'refused' | 'unknown';

export interface Step {
  readonly text: string;
  /** The state after the step; undefined where it is refused. */
  readonly effect: (state: State) => State | undefined;
  readonly answer: Answer;
}

export const emptyAccount: AccountState = { tables: {}, age: 0, snapshots: {} };

/** A limit on memory: an attack verifies before there are more. */
export const statesMax = 512;

/** The states after steps that were begun together: they may have taken effect in any order. Empty: an answer is wrong. */
export function advance(states: readonly State[], steps: readonly Step[]): readonly State[] {
  const after = new Map<string, State>();
  for (const order of ordersOf(steps)) {
    let current = states;
    for (const step of order) current = current.flatMap((state) => afterStep(state, step));
    for (const state of current) after.set(textOf(state), state);
  }
  return [...after.values()];
}

function afterStep(state: State, { effect, answer }: Step): readonly State[] {
  const changed = effect(state);
  if (answer === 'done') return changed ? [changed] : [];
  if (answer === 'refused') return changed ? [] : [state];
  return changed ? [state, changed] : [state];
}

function ordersOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  if (steps.length < 2) return [steps];
  return steps.flatMap((step, at) => ordersOf(steps.toSpliced(at, 1)).map((rest) => [step, ...rest]));
}

export const textOf = (value: unknown): string => JSON.stringify(value, sorted);

/** What can be read of a state without changing it. */
export function visibleOf(state: State): string {
  const accounts = Object.entries(state).map(([name, { tables, age, snapshots }]) => [
    name,
    { tables, age, snapshots: Object.keys(snapshots).sort() },
  ]);
  return textOf(Object.fromEntries(accounts));
}

/** The members of objects in the order of their names. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
