/** The order of partition keys in the writes to a table. The first three patterns put all load on one range. */
export type KeyPattern = 'append-only' | 'prepend-only' | 'single partition' | 'spread';
