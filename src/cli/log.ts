import pino, { type Logger } from 'pino';

export interface LogOptions {
  /** Everything goes to this file instead of standard output. */
  readonly debugFile?: string;
}

/** JSON lines on standard output; on a terminal, lines for a person. */
export async function createLog({ debugFile }: LogOptions): Promise<Logger> {
  const options = { level: debugFile === undefined ? 'info' : 'debug', base: null };
  if (debugFile !== undefined) return pino(options, pino.destination({ dest: debugFile, sync: true, mkdir: true }));
  if (!process.stdout.isTTY) return pino(options, pino.destination({ dest: 1, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  const lines = pretty({ colorize: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', sync: true });
  return pino(options, lines);
}
