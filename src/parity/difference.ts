// The differences between a recorded response and the response of another server. In this folder, "there" means at the
// other server: `there` is its value, and `recorded` is the value in the recording.

/** Longer values are cut, because people read the differences. */
const valueCharsMax = 200;

export interface Difference {
  /** The common cause of the differences of many requests: `header ETag: missing there`. */
  readonly cause: string;
  readonly recorded?: string;
  readonly there?: string;
}

export function difference(cause: string, recorded?: string, there?: string): Difference {
  return {
    cause,
    ...(recorded === undefined ? {} : { recorded: cut(recorded) }),
    ...(there === undefined ? {} : { there: cut(there) }),
  };
}

const cut = (text: string): string => (text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text);

/** What a comparison needs to know about both sides. */
export interface Comparing {
  /** Every cause begins with it: `in a batch, `, or empty. */
  readonly place: string;
  /**
   * Remove, from a text of either server, the parts that depend only on its addresses, accounts and names of tables.
   */
  readonly neutral: { recorded(text: string): string; there(text: string): string };
  /** Called with a pair of values that each server made itself. */
  readonly learn: (recorded: string, there: string) => void;
  /** Whether a table in a list is compared. */
  readonly isListed: { recorded(table: string): boolean; there(table: string): boolean };
}
