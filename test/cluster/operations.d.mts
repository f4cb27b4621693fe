import type { Operation, State } from './registers.mjs';

type Effect = Pick<Operation, 'text' | 'next'>;
type Outcome = 'done' | 'unknown' | 'exists' | 'stale' | 'missing';

export function read(id: State): Effect;
export function insert(id: string, outcome: Outcome): Effect;
export function replace(from: string, id: string, outcome: Outcome): Effect;
export function remove(from: string, outcome: Outcome): Effect;
