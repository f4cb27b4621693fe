// The model of the data: all states that the responses so far allow.

export interface Row {
  /** Different for each write. */
  readonly Value: string;
  readonly Kind: number;
  readonly Extra?: string;
}

/** Rows by partition and row key, as `p/r`. */
export type Rows = Readonly<Record<string, Row>>;

export interface TableState {
  /** The id of the table's access policy. Empty if it has none. */
  readonly policy: string;
  readonly rows: Rows;
}

/** Tables by name. */
export type Tables = Readonly<Record<string, TableState>>;

export interface AccountState {
  readonly tables: Tables;
  /** The maximum age in the CORS rule of the service properties. 0 if there is no rule. */
  readonly age: number;
  /** Snapshots by name. A snapshot of a single table has no age. */
  readonly snapshots: Readonly<Record<string, { readonly tables: Tables; readonly age?: number }>>;
  /** The tables that each export in progress must return, by the number of the export. */
  readonly exports: Readonly<Record<string, Tables>>;
}

/** Accounts by name. */
export type State = Readonly<Record<string, AccountState>>;

/** What an answer says about a request: done, refused, certainly not done, or unknown. */
export type Answer = 'done' | 'refused' | 'notDone' | 'unknown';

/** The states that may follow a step, given its answer. Empty if the answer is wrong. */
export type After = (state: State) => readonly State[];

export interface Step {
  readonly text: string;
  readonly after: After;
}

export const emptyAccount: AccountState = { tables: {}, age: 0, snapshots: {}, exports: {} };

/** Limits memory: the data is read, which leaves one state, before there are more states than this. */
export const statesMax = 512;

/**
 * Returns the states that are possible after some steps. The steps began together, and may have taken effect in any
 * order. Returns no state if an answer is wrong. `visit` receives each intermediate state.
 */
export function advance(
  states: readonly State[],
  steps: readonly Step[],
  visit: (state: State) => void = () => undefined,
): readonly State[] {
  const [only] = steps;
  if (only && steps.length === 1 && states.length === 1) {
    const after = states.flatMap(only.after);
    after.forEach(visit);
    return after;
  }
  const after = new Map<string, State>();
  for (const order of ordersOf(steps)) {
    let current = states;
    for (const step of order) {
      current = current.flatMap(step.after);
      current.forEach(visit);
    }
    for (const state of current) after.set(textOf(state), state);
  }
  return [...after.values()];
}

function ordersOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  if (steps.length < 2) return [steps];
  return steps.flatMap((step, at) => ordersOf(steps.toSpliced(at, 1)).map((rest) => [step, ...rest]));
}

/** A change. It must be refused in a state for which `effect` returns undefined. */
export function changes(answer: Answer, effect: (state: State) => State | undefined): After {
  return (state) => {
    const changed = effect(state);
    if (answer === 'notDone') return [state];
    if (answer === 'done') return changed ? [changed] : [];
    if (answer === 'refused') return changed ? [] : [state];
    return changed ? [state, changed] : [state];
  };
}

/** A read. `holds` says whether its answer is possible in a state. */
export function reads(answer: Answer, holds: (state: State) => boolean): After {
  return (state) => (answer === 'notDone' || answer === 'unknown' || holds(state) ? [state] : []);
}

export const textOf = (value: unknown): string => JSON.stringify(value, sorted);

/** The part of an account that can be read without changing it. */
export function visibleOf({ tables, age, snapshots }: AccountState): string {
  return textOf({ tables, age, snapshots: Object.keys(snapshots).sort() });
}

/** A replacer for JSON.stringify that sorts the members of objects by name. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function onAccount(name: string, change: (found: AccountState) => AccountState | undefined) {
  return (state: State): State | undefined => {
    const changed = change(state[name] as AccountState);
    return changed && { ...state, [name]: changed };
  };
}

export function onTable(account: string, table: string, change: (found: TableState) => TableState | undefined) {
  return onAccount(account, (found) => {
    const changed = found.tables[table] && change(found.tables[table]);
    return changed && { ...found, tables: { ...found.tables, [table]: changed } };
  });
}

export function without<T>(values: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}

export function mapAccounts(state: State, change: (found: AccountState) => AccountState): State {
  return Object.fromEntries(Object.entries(state).map(([name, found]) => [name, change(found)]));
}
