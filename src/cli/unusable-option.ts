/** What was asked for cannot be done; the message says why, and what to do about it, to a person. */
export class UnusableOption extends Error {}
