import { randomFillSync } from 'node:crypto';

export interface SpanIds {
  /** 32 hexadecimal digits. */
  traceId(): string;
  /** 16 hexadecimal digits. */
  spanId(): string;
}

/** Random bytes are made in a pool of this size, because a call for each id would cost more. */
const poolBytes = 4_096;

/** Random ids, never zero, which would be invalid. */
export function randomIds(): SpanIds {
  const pool = Buffer.alloc(poolBytes);
  let used = poolBytes;
  const take = (bytes: number): string => {
    if (used + bytes > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    const id = pool.toString('hex', used, used + bytes);
    used += bytes;
    return /[^0]/.test(id) ? id : take(bytes);
  };
  return { traceId: () => take(16), spanId: () => take(8) };
}
