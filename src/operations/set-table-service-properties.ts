import { encodeServiceProperties, type ServiceProperties } from '../model/service-properties.ts';
import type { AccountStore } from '../storage/store.ts';
import { getTableServiceProperties } from './get-table-service-properties.ts';

/** Changes the settings of an account's table service; what the change leaves alone stays as it was. */
export async function setTableServiceProperties(
  store: AccountStore,
  change: (current: ServiceProperties) => ServiceProperties,
): Promise<void> {
  const current = await getTableServiceProperties(store);
  await store.setServiceProperties(encodeServiceProperties(change(current)));
}
