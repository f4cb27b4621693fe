import type { Operation, State } from './registers.mjs';

type Effect = Omit<Operation, 'calledAt' | 'returnedAt'>;
type Outcome = 'done' | 'unknown' | 'exists' | 'stale' | 'missing';

export function read(id: State): Effect;
export function insert(id: string, outcome: Outcome): Effect;
export function replace(from: string, id: string, outcome: Outcome): Effect;
export function createTable(outcome: Outcome): Effect;
export function deleteTable(outcome: Outcome): Effect;
export function insertInto(id: string, outcome: Outcome): Effect;
export function remove(from: string, outcome: Outcome): Effect;
