// What is different between a recorded response and the one of another server.

/** Cuts long values: a difference is to be read by a person. */
const valueCharsMax = 200;

export interface Difference {
  /** What the differences of many requests have in common: `header ETag: missing there`. */
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

/** What comparing needs to know of both sides. */
export interface Comparing {
  /** Begins every cause: `in a batch, `, or empty. */
  readonly place: string;
  /** Texts of the two servers without what only depends on their addresses, accounts and names of tables. */
  readonly neutral: { recorded(text: string): string; there(text: string): string };
  /** Gets values that each server makes itself. */
  readonly learn: (recorded: string, there: string) => void;
  /** Which tables of a list are compared. */
  readonly isListed: { recorded(table: string): boolean; there(table: string): boolean };
}
