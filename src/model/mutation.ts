import type { EntityKey } from './entity.ts';
import type { IfMatch } from './etag.ts';
import type { Properties } from './properties.ts';

/** One change to one entity, as data: it can be logged, replayed, and compared over engines. */
export type Mutation =
  | ({ readonly kind: 'insert'; readonly properties: Properties } & EntityKey)
  | ({ readonly kind: 'replace' | 'merge'; readonly properties: Properties; readonly ifMatch: IfMatch } & EntityKey)
  | ({ readonly kind: 'insertOrReplace' | 'insertOrMerge'; readonly properties: Properties } & EntityKey)
  | ({ readonly kind: 'delete'; readonly ifMatch: IfMatch } & EntityKey);
