/** The order in which the partition keys of a table's writes come. The first three put all load on one range. */
export type KeyPattern = 'append-only' | 'prepend-only' | 'single partition' | 'spread';
