import {
  decodeServiceProperties,
  defaultServiceProperties,
  type ServiceProperties,
} from '../model/service-properties.ts';
import type { AccountStore } from '../storage/store.ts';

/** The settings of an account's table service; those of a fresh account until they are set. */
export async function getTableServiceProperties(store: AccountStore): Promise<ServiceProperties> {
  const text = await store.getServiceProperties();
  return text === undefined ? defaultServiceProperties : decodeServiceProperties(text);
}
