// Defines what the requests of the checker mean for a register. The state of an entity is the id of the write that made
// it, or null if the entity does not exist. The state of a table is null if the table does not exist, `''` if the table
// is empty, or the id of its only entity. In an operation, `made` is the id that the operation writes, and `seen` is an
// id that it has read.

const requireState = (isRight) => (state) => (isRight(state) ? state : undefined);
const change = (isRight, to) => (state) => (isRight(state) ? to : undefined);
const isAbsent = (state) => state === null;
const isPresent = (state) => state !== null;
const isEmpty = (state) => state === '';

/** A read that found the entity of the write `id`, or null if it found nothing. */
export const read = (id) => ({
  seen: id,
  text: `read ${id ?? 'nothing'}`,
  next: requireState((state) => state === id),
});

/** `outcome`: `done`, `unknown`, or the refusal `exists`. */
export const insert = (id, outcome) => ({
  made: id,
  text: `insert ${id}: ${outcome}`,
  next: outcome === 'exists' ? requireState(isPresent) : change(isAbsent, id),
});

/**
 * A write that sends the ETag of an earlier write. `from` is the id of the earlier write. `outcome` is `done`,
 * `unknown`, or one of the refusals `stale` and `missing`.
 */
export const replace = (from, id, outcome) => ({
  made: id,
  seen: from,
  text: `replace ${from} by ${id}: ${outcome}`,
  next: conditional(from, id, outcome),
});

export const remove = (from, outcome) => ({
  seen: from,
  text: `delete ${from}: ${outcome}`,
  next: conditional(from, null, outcome),
});

function conditional(from, to, outcome) {
  if (outcome === 'stale') return requireState((state) => isPresent(state) && state !== from);
  if (outcome === 'missing') return requireState(isAbsent);
  return change((state) => state === from, to);
}

export const createTable = (outcome) => ({
  text: `create the table: ${outcome}`,
  next: outcome === 'exists' ? requireState(isPresent) : change(isAbsent, ''),
});

export const deleteTable = (outcome) => ({
  text: `delete the table: ${outcome}`,
  next: outcome === 'missing' ? requireState(isAbsent) : change(isPresent, null),
});

/** An insert into a table. `outcome`: `done`, `unknown`, `exists`, or `missing` if there is no table. */
export const insertInto = (id, outcome) => ({
  made: id,
  text: `insert ${id} into the table: ${outcome}`,
  next:
    outcome === 'missing'
      ? requireState(isAbsent)
      : outcome === 'exists'
        ? requireState((state) => isPresent(state) && !isEmpty(state))
        : change(isEmpty, id),
});
