import type { EntityKey } from './entity.ts';
import type { IfMatch } from './etag.ts';
import type { Properties } from './properties.ts';

/** A change of one entity, as data. */
export type Mutation =
  | ({ readonly kind: 'insert'; readonly properties: Properties } & EntityKey)
  | ({ readonly kind: 'replace' | 'merge'; readonly properties: Properties; readonly ifMatch: IfMatch } & EntityKey)
  | ({ readonly kind: 'insertOrReplace' | 'insertOrMerge'; readonly properties: Properties } & EntityKey)
  | ({ readonly kind: 'delete'; readonly ifMatch: IfMatch } & EntityKey);
