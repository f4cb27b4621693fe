/** The request cannot be carried out: a bad flag, a port in use, data that cannot be used, a filter that the service refuses. */
export const exitCodeUnusable = 2;
/** The emulator that was asked is not there, is not healthy, or refuses: a missing table, a wrong token. */
export const exitCodeUnanswered = 1;

/** `advise --fail-on` and `exec --fail-on`: there are findings. */
export const exitCodeFindings = 3;

/** The exit code of shells for Ctrl-C. The work can be continued. */
export const exitCodeInterrupted = 130;

/** Ends the command with `exitCodeUnusable`. The message tells a person what is wrong and what to do about it. */
export class UnusableOption extends Error {}

/** Ends the command with `exitCodeUnanswered`. The message tells a person why there is no answer. */
export class NoAnswer extends Error {}

/** The control plane of an emulator refuses. */
export class ControlRefusal extends NoAnswer {
  readonly code: string;
  /** The refused line of a body of several, 1-based. */
  readonly line: number | undefined;

  /** The emulator's own words, without the rest of the message. */
  readonly reason: string;

  constructor(message: string, { code, line, reason }: Pick<ControlRefusal, 'code' | 'line' | 'reason'>) {
    super(message);
    this.code = code;
    this.line = line;
    this.reason = reason;
  }
}

export const exitCodesHelp = `
Exit codes:
  0   done
  ${exitCodeUnanswered}   the emulator does not answer, is not ready in time, or refuses the
      request; a run failed (chaos); responses differ (parity)
  ${exitCodeUnusable}   the command line is wrong, the port is in use, the data cannot be used, or
      the service refuses the filter
  ${exitCodeFindings}   the advisor found something at or above --fail-on (advise, exec)
  ${exitCodeInterrupted} Ctrl-C interrupted the command; 143 after SIGTERM, 129 after its terminal
      closed. If you run it again, it continues (copy)
A line on standard error gives the reason.`;
