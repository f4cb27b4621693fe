import type { Clock } from '../model/time.ts';

/** The state that the emulator reports for the secondary of every account. */
export interface Replica {
  readonly status: 'live' | 'bootstrap' | 'unavailable';
  /** How far the secondary is behind the primary. */
  readonly lagMs: number;
  /** The moment up to which a real secondary has all writes. Used instead of `lagMs` while the status is `live`. */
  readonly lastSyncMs?: (() => Promise<number>) | undefined;
}

export interface ReplicaStats {
  readonly status: Replica['status'];
  /** The moment up to which the secondary has all writes. Absent if a real secondary cannot be reached. */
  readonly lastSyncMs?: number;
}

/** The state of the secondary and the moment up to which it has all writes. */
export async function getTableServiceStats(
  { status, lagMs, lastSyncMs }: Replica,
  clock: Clock,
): Promise<ReplicaStats> {
  if (!lastSyncMs || status !== 'live') return { status, lastSyncMs: clock.nowMs() - lagMs };
  try {
    return { status, lastSyncMs: await lastSyncMs() };
  } catch {
    return { status: 'unavailable' };
  }
}
