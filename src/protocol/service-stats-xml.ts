import { renderElement, renderServiceXml } from './service-xml.ts';

export interface ServiceStats {
  readonly status: 'live' | 'bootstrap' | 'unavailable';
  /** All writes before this moment are on the secondary; known only while it is live. */
  readonly lastSyncMs?: number;
}

/** The body of Get Table Service Stats. Evidence: recorded (`live`, and `unavailable` with its empty time). */
export function renderServiceStatsXml({ status, lastSyncMs }: ServiceStats): Buffer {
  const time = status === 'live' && lastSyncMs !== undefined ? new Date(lastSyncMs).toUTCString() : '';
  const replication = renderElement('Status', status) + renderElement('LastSyncTime', time);
  return renderServiceXml(renderElement('StorageServiceStats', renderElement('GeoReplication', replication)));
}
