/** What cannot be done as it was asked: a bad flag, a taken port, data that cannot be used, a filter that is refused. */
export const exitCodeUnusable = 2;
/** The emulator that was asked is not there, not healthy, or has no answer: a missing table, a token it does not take. */
export const exitCodeUnanswered = 1;

export const exitCodesHelp = `
Exit codes:
  0   done
  ${exitCodeUnanswered}   the emulator that was asked is not there, not ready in time, or refuses
  ${exitCodeUnusable}   it cannot be done as asked: an unknown flag, a port in use, foreign data,
      a filter that the service refuses
A line on standard error says why.`;
