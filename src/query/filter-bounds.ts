// Bounds of a filter's text, so that no text can cost more than milliseconds. The service's own are not known: its
// documented 15 comparisons are not enforced (51 are recorded to pass). Evidence: assumed.

/** UTF-16 units. */
export const filterCharsMax = 64 * 1024;
/** Of parentheses in each other, and of `not` before `not`. */
export const nestingMax = 500;
/** Terms that are no parenthesised group: comparisons, and what stands alone. */
export const comparisonsMax = 2000;
