import { describe, expect, it } from 'vitest';
import { renderServiceStatsXml } from '../../../src/protocol/service-properties-xml.ts';

const lastSyncMs = Date.UTC(2024, 0, 15, 10, 30, 0, 999);

describe('The body of Get Table Service Stats', () => {
  it.each([
    ['live', { status: 'live', lastSyncMs }, 'Mon, 15 Jan 2024 10:30:00 GMT'],
    ['live', { status: 'live' }, ''],
    ['unavailable', { status: 'unavailable' }, ''],
    ['unavailable', { status: 'unavailable', lastSyncMs }, ''],
    ['bootstrap', { status: 'bootstrap', lastSyncMs }, ''],
  ] as const)('if %s: %j', (status, stats, time) => {
    expect(renderServiceStatsXml(stats).toString()).toBe(
      `\ufeff<?xml version="1.0" encoding="utf-8"?><StorageServiceStats><GeoReplication><Status>${status}</Status><LastSyncTime>${time}</LastSyncTime></GeoReplication></StorageServiceStats>`,
    );
  });
});
