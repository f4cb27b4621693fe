import {
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
  type ServiceProperties,
} from '../model/service-properties.ts';
import type { AccountStore } from '../storage/store.ts';

/** The settings of an account's table service; until they are set, the defaults of a new account. */
export async function getTableServiceProperties(store: AccountStore): Promise<ServiceProperties> {
  return decode(await store.getServiceProperties());
}

/**
 * Changes the settings of an account's table service. `change` returns the new settings; it keeps the settings that the
 * request leaves out. If `change` throws an error, this function rejects with the error and changes nothing.
 */
export async function setTableServiceProperties(
  store: AccountStore,
  change: (current: ServiceProperties) => ServiceProperties,
): Promise<void> {
  await store.updateServiceProperties((current) => encodeServiceProperties(change(decode(current))));
}

function decode(text: string | undefined): ServiceProperties {
  return text === undefined ? defaultServiceProperties : decodeServiceProperties(text);
}
