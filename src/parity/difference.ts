// The differences between a recorded response and the response of another server. In this folder, "there" means "at the
// other server". `recorded` is the value in the recording, and `there` is the value at the other server.

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
   * Two functions that make texts of the two servers comparable, by replacing addresses and accounts. `recorded` is for
   * texts in the recording. `there` is for texts of the other server, and also replaces the names of tables with their
   * names in the recording.
   */
  readonly neutral: { recorded(text: string): string; there(text: string): string };
  /** Called with a pair of values that each server made itself. */
  readonly learn: (recorded: string, there: string) => void;
  /** Whether a table in a list is compared. */
  readonly isListed: { recorded(table: string): boolean; there(table: string): boolean };
}
