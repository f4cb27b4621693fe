// If the properties of an account turn on logging and metrics, the service writes a log of the requests into blobs. It
// also writes counts of the requests into tables such as `$MetricsHourPrimaryTransactionsTable`. Tanzanite stores and
// returns these properties, but writes neither logs nor counts. It publishes its own metrics at `/_emulator/metrics`.

import { describe, expect, it } from 'vitest';
import { startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

const service = await startService();
const retention = '<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy>';
const logging = `<Logging><Version>1.0</Version><Read>true</Read><Write>true</Write><Delete>true</Delete>${retention}</Logging>`;
const metrics = `<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>${retention}</MinuteMetrics>`;
const path = '/?restype=service&comp=properties';

describe('The settings of storage analytics are kept, and nothing is written', () => {
  it('are returned as they were set', async () => {
    const body = `<StorageServiceProperties>${logging}${metrics}</StorageServiceProperties>`;
    const headers = { 'Content-Type': 'application/xml' };
    expect(outcomeOf(await service.send({ method: 'PUT', path, headers, body }))).toBe('202');
    const { body: answered } = await service.get(path);
    expect(answered).toContain(logging);
    expect(answered).toContain(metrics);
  });

  it('create no metrics table: querying one is 404 TableNotFound', async () => {
    expect(outcomeOf(await service.get('/$MetricsMinutePrimaryTransactionsTable'))).toBe('404 TableNotFound');
  });
});
