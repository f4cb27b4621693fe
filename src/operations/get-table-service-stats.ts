import type { Clock } from '../model/time.ts';

/** The state that the emulator reports for the secondary of every account. */
export interface Replica {
  readonly status: 'live' | 'bootstrap' | 'unavailable';
  /** By how much the secondary is behind the primary. */
  readonly lagMs: number;
}

export interface ReplicaStats {
  readonly status: Replica['status'];
  readonly lastSyncMs: number;
}

/** The state of the secondary and the moment up to which it has all writes. */
export function getTableServiceStats({ status, lagMs }: Replica, clock: Clock): ReplicaStats {
  return { status, lastSyncMs: clock.nowMs() - lagMs };
}
