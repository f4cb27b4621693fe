import type { Ticks } from './ticks.ts';

/**
 * A property value with its Edm type. Values of Int64 and DateTime are bigints, because a JavaScript number is not
 * precise enough for them.
 */
export type EdmValue =
  | { readonly type: 'Edm.String'; readonly value: string }
  | { readonly type: 'Edm.Boolean'; readonly value: boolean }
  | { readonly type: 'Edm.Int32'; readonly value: number }
  | { readonly type: 'Edm.Int64'; readonly value: bigint }
  | { readonly type: 'Edm.Double'; readonly value: number }
  | EdmDateTime
  | { readonly type: 'Edm.Guid'; readonly value: string }
  | { readonly type: 'Edm.Binary'; readonly value: Uint8Array };

export interface EdmDateTime {
  readonly type: 'Edm.DateTime';
  readonly value: Ticks;
  /** Text with the zone offset that a client sent. The response to an insert repeats it; reads are in UTC. */
  readonly sentText?: string;
}
