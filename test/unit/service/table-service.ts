import { keyGrant } from '../../../src/auth/grant.ts';
import { unmetered } from '../../../src/capacity/meter.ts';
import { systemClock } from '../../../src/model/clock.ts';
import { systemMachineTime } from '../../../src/model/time.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { strictCompatibility } from '../../../src/service/compatibility.ts';
import { CorsRules } from '../../../src/service/cors-rules.ts';
import { InFlight } from '../../../src/service/in-flight.ts';
import type { TableService } from '../../../src/service/serve-request.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/sqlite-store.ts';

/** A service in memory that lets every caller in with the rights of a key. The caller closes its store. */
export function tableService(changes: Partial<TableService> = {}): TableService {
  const store = changes.store ?? openSqliteStore({ durability: 'none', clock: systemClock });
  return {
    store,
    clock: systemClock,
    time: systemMachineTime,
    addressOptions: { scheme: 'http', isHostStyleKnown: true },
    compatibility: strictCompatibility,
    cors: new CorsRules(store),
    replica: { status: 'live', lagMs: 0 },
    meterOf: () => unmetered,
    inFlight: new InFlight({ requestsMax: 100 }),
    explainsAuthentication: false,
    queries: { filters: createFilterReader(), pageBoundaries: 'none' },
    authenticator: { authenticate: () => keyGrant },
    onInternalError: (error) => {
      throw error;
    },
    ...changes,
  };
}
