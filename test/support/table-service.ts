import { keyGrant } from '../../src/auth/grant.ts';
import { unmetered } from '../../src/capacity/meter.ts';
import { BufferPool } from '../../src/model/buffer-pool.ts';
import { systemSchedule } from '../../src/model/schedule.ts';
import { ServiceError } from '../../src/model/service-error.ts';
import { systemMachineTime, systemModelTime } from '../../src/model/time.ts';
import { createFilterReader } from '../../src/query/read-filter.ts';
import { CorsRules } from '../../src/service/cors-rules.ts';
import { InFlight } from '../../src/service/in-flight.ts';
import { noSeams } from '../../src/service/seams.ts';
import type { TableService } from '../../src/service/serve-request.ts';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts';
import { storeTimes } from './manual-time.ts';

/**
 * Makes a table service in memory. Every caller has the rights of the account key, and every valid account name is an
 * account. The test must close the store of the service.
 */
export async function tableService(changes: Partial<TableService> = {}): Promise<TableService> {
  const store = changes.store ?? (await openSqliteStore({ durability: 'none', ...storeTimes() }));
  return {
    store,
    clock: systemModelTime,
    time: systemMachineTime,
    schedule: systemSchedule,
    addressOptions: { isHostStyleKnown: true },
    compatibility: { versions: 'newer', isLoose: false, allowsForeignPages: false, retryAfterSeconds: 0 },
    cors: new CorsRules(store),
    replica: { status: 'live', lagMs: 0 },
    capacity: { meter: () => unmetered },
    inFlight: new InFlight({ requestsMax: 100 }),
    buffers: new BufferPool(),
    explainsRefusals: false,
    queries: { filters: createFilterReader(), pageBoundaries: 'none' },
    authenticator: {
      authenticate({ account }) {
        if (!/^[a-z0-9]{3,24}$/.test(account)) throw new ServiceError('ResourceNotFound', { stage: 'route' });
        return keyGrant;
      },
    },
    onInternalError: (error) => {
      throw error;
    },
    seams: { current: noSeams },
    ...changes,
  };
}
