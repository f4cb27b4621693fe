import { join } from 'node:path';
import { Issuer, type IssuerOptions } from './issuer.ts';
import {
  fileStateStore,
  memoryStateStore,
  type SharedStateTexts,
  type StateStore,
  sharedStateStore,
} from './state-store.ts';

export interface CreateIssuerOptions extends Omit<IssuerOptions, 'store' | 'place'> {
  /** The folder of the issuer's files. Without `folder` and without `texts`, the state is in memory. */
  readonly folder: string | undefined;
  /** Present if several nodes share their data, and therefore also the issuer. */
  readonly texts?: SharedStateTexts | undefined;
}

/** Creates an issuer. Its state is read on first use. */
export function createIssuer({ folder, texts, ...options }: CreateIssuerOptions): Issuer {
  return new Issuer({ ...options, ...placeOf(folder, texts) });
}

function placeOf(
  folder: string | undefined,
  texts: CreateIssuerOptions['texts'],
): { readonly store: StateStore; readonly place: string } {
  if (texts) return { store: sharedStateStore(texts), place: 'the text "identity" of the database' };
  if (folder === undefined) return { store: memoryStateStore(), place: 'the state of the issuer' };
  const path = join(folder, 'issuer.json');
  return { store: fileStateStore(path), place: path };
}
