/** A flag or variable that cannot be followed; the message is one line for a person. */
export class UnusableOption extends Error {}
