import pino, { type Logger } from 'pino';

export interface LogOptions {
  readonly isPretty: boolean;
  /** Standard output holds nothing but JSON. */
  readonly isJsonOnly: boolean;
  /** The log goes to this file instead of standard output, always as JSON. */
  readonly debugFile?: string;
}

export async function createLog({ isPretty, debugFile }: LogOptions): Promise<Logger> {
  const options = { level: debugFile === undefined ? 'info' : 'debug', base: null };
  if (debugFile !== undefined) return pino(options, pino.destination({ dest: debugFile, sync: true, mkdir: true }));
  if (!isPretty) return pino(options, pino.destination({ dest: 1, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  const colorize = process.stdout.isTTY;
  return pino(options, pretty({ ...personalLines, colorize, sync: true }));
}

/** What the message says already: its operation and status, and what a line of capacity is made of. */
const toldFields = ['operation', 'status', 'refused', 'wouldThrottle', 'spared', 'pagesCut', 'places'];

/** One line each, but for the stack of an error. */
export const personalLines = {
  singleLine: true,
  messageFormat: '{if operation}{operation}: {end}{msg}',
  ignore: ['pid', 'hostname', ...toldFields].join(','),
  translateTime: 'SYS:HH:MM:ss.l',
} as const;
