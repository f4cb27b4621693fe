import type { EmulatorSettings } from '../emulator.ts';
import type { LogOptions } from './log.ts';

/** What `tanzanite start` was asked for, read and frozen. */
export interface StartOptions {
  readonly settings: Omit<EmulatorSettings, 'log' | 'logRequests'>;
  /** No line for each request. */
  readonly silent: boolean;
  readonly debugFile?: string;
  readonly log: Pick<LogOptions, 'isPretty' | 'isJsonOnly'>;
}
