import { randomFillSync } from 'node:crypto';

export interface SpanIds {
  /** 32 hexadecimal digits. */
  traceId(): string;
  /** 16 hexadecimal digits. */
  spanId(): string;
}

/** Filled again when it is used up: a call for each id costs more. */
const poolBytes = 4_096;

/** Ids of which none is zero, which would be none. */
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
