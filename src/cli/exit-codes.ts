/**
 * The command cannot be carried out: a flag is wrong, a port is in use, data cannot be used, or the service refuses a
 * filter.
 */
export const exitCodeUnusable = 2;
/** The emulator does not answer, is not healthy, or refuses the request, for example because of a wrong token. */
export const exitCodeUnanswered = 1;

/** `advise --fail-on` and `exec --fail-on`: there are findings. */
export const exitCodeFindings = 3;

/** The exit code of shells for Ctrl-C. The same command continues the work, if it can be continued. */
export const exitCodeInterrupted = 130;

/** Ends the command with `exitCodeUnusable`. The message tells a person what is wrong and what to do about it. */
export class UnusableOption extends Error {}

/** Ends the command with `exitCodeUnanswered`. The message tells a person why there is no answer. */
export class NoAnswer extends Error {}

/** The control plane of an emulator refuses the request. */
export class ControlRefusal extends NoAnswer {
  readonly code: string;
  /** The number of the refused line, counted from 1, if the request's body had lines. */
  readonly line: number | undefined;

  /** The reason that the emulator gave, without the rest of the message. */
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
