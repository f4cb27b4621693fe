/**
 * Where a page may end before it is full. The service ends pages at the boundaries between its servers, which nobody can
 * foresee; `partition` ends them with every partition, so that a client meets short and empty pages with a continuation,
 * and `range` where the capacity model has parted the table.
 */
export type PageBoundaries = 'none' | 'partition' | 'range';
