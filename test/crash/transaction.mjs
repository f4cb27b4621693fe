// Plans an entity group transaction, which consists of writes with distinct keys. In some transactions, all writes
// should succeed. In others, some writes should fail, and then none of the writes may be stored.

const failShare = 0.3;

/**
 * `rows` are the keys to write. `planWrite` plans the write of one row (see Writer). `failedAt` in the result is the
 * index of the first write that should fail, or undefined if all writes should succeed.
 */
export function planTransaction({ rows, random, planWrite }) {
  const failures = new Set();
  if (random.next() < failShare) failures.add(random.integer(0, rows.length - 1));
  // Of several failures, the first one is reported.
  if (failures.size > 0 && random.next() < failShare) failures.add(random.integer(0, rows.length - 1));
  const writes = rows.map((row, index) => {
    for (;;) {
      const write = planWrite(row);
      if ((write.status === 204) !== failures.has(index)) return write;
    }
  });
  return { writes, failedAt: failures.size > 0 ? Math.min(...failures) : undefined };
}

/** Why a response is not the expected one, or undefined if it is. */
export function faultOfAnswer({ writes, failedAt }, { status, parts, text }) {
  const isRefused = failedAt !== undefined;
  const isRight = isRefused
    ? parts.length === 1 && parts[0].status === writes[failedAt].status && parts[0].index === failedAt
    : parts.length === writes.length && parts.every((part) => part.status === 204);
  if (status === 202 && isRight) return undefined;
  const expected = isRefused ? `one ${writes[failedAt].status} for the change ${failedAt}` : 'as many 204';
  return `a transaction of ${writes.length} was answered ${status} with ${essenceOf({ parts, text })}, not 202 with ${expected}`;
}

/** The most useful part of a response. */
function essenceOf({ parts, text }) {
  if (parts.length !== 1) return parts.length > 1 ? `${parts.length} parts` : text.slice(0, 300);
  const [{ status, index }] = parts;
  return `one ${status} for the change ${index}: ${/"code":"(\w+)"/.exec(text)?.[1]}`;
}
