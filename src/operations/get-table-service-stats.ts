import type { Clock } from '../model/clock.ts';

/** How the secondary of every account is said to fare. */
export interface Replica {
  readonly status: 'live' | 'bootstrap' | 'unavailable';
  /** How far it is said to be behind. */
  readonly lagMs: number;
}

export interface ReplicaStats {
  readonly status: Replica['status'];
  readonly lastSyncMs: number;
}

/** How far the secondary has come. */
export function getTableServiceStats({ status, lagMs }: Replica, clock: Clock): ReplicaStats {
  return { status, lastSyncMs: clock.nowMs() - lagMs };
}
