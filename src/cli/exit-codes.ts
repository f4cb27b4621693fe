/** What cannot be done as it was asked: a bad flag, a taken port, data that cannot be used, a filter that is refused. */
export const exitCodeUnusable = 2;
/** The emulator that was asked is not there, or has no answer: a table that is missing, a token it does not take. */
export const exitCodeUnanswered = 1;
