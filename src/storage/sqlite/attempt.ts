type Attempt<T> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown };

/** What the work returned, or threw. */
export function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { kind: 'returned', value: work() };
  } catch (error) {
    return { kind: 'threw', error };
  }
}
