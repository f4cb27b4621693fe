import {
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
  type ServiceProperties,
} from '../model/service-properties.ts';
import type { AccountStore } from '../storage/store.ts';

/** The settings of an account's table service; the defaults of a new account until they are set. */
export async function getTableServiceProperties(store: AccountStore): Promise<ServiceProperties> {
  const text = await store.getServiceProperties();
  return text === undefined ? defaultServiceProperties : decodeServiceProperties(text);
}

/** Changes the settings of an account's table service; `change` keeps the settings that the request leaves out. */
export async function setTableServiceProperties(
  store: AccountStore,
  change: (current: ServiceProperties) => ServiceProperties,
): Promise<void> {
  const current = await getTableServiceProperties(store);
  await store.setServiceProperties(encodeServiceProperties(change(current)));
}
