/** An emulator was asked and gave no answer; the message says why to a person. */
export class NoAnswer extends Error {}
