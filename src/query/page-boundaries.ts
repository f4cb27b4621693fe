/**
 * Where a page may end before it is full. Azure ends pages at boundaries between its servers. A client cannot predict
 * these boundaries. `none`: nowhere. `partition`: after each partition, so that clients get short and empty pages with
 * a continuation. `range`: where the capacity model has split the table.
 */
export type PageBoundaries = 'none' | 'partition' | 'range';
