import type { ModelTime } from '../model/time.ts';
import { sendRequest } from './send-request.ts';
import { successOf, type TableClient, tableClientOver } from './table-client.ts';
import type { TableEndpoint } from './table-endpoint.ts';

/** A client of the tables at an endpoint. */
export function openTableClient(endpoint: TableEndpoint, time: Pick<ModelTime, 'nowMs' | 'after'>): TableClient {
  return tableClientOver(async (request) => successOf(await sendRequest(request, endpoint, time)));
}
