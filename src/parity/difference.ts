// The differences between a recorded response and that of another server.

/** Longer values are cut: people read the differences. */
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
  /** Begins every cause: `in a batch, `, or empty. */
  readonly place: string;
  /** Texts of the two servers without the parts that depend only on their addresses, accounts and names of tables. */
  readonly neutral: { recorded(text: string): string; there(text: string): string };
  /** Receives values that each server makes itself. */
  readonly learn: (recorded: string, there: string) => void;
  /** Which tables of a list are compared. */
  readonly isListed: { recorded(table: string): boolean; there(table: string): boolean };
}
