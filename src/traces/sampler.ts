// Decides whether the span of a request is recorded. Implements the samplers of OpenTelemetry's specification, with the
// names that OTEL_TRACES_SAMPLER accepts.

import type { TraceContext } from '../model/trace-context.ts';
import type { SpanIds } from './span-ids.ts';

export interface Sampler {
  /** Whether the caller decides if the request belongs to a trace of the caller. */
  readonly isParentBased: boolean;
  /** The ratio of other traces that are recorded, from 0 to 1. */
  readonly ratio: number;
}

const samplers: Readonly<Record<string, number | undefined>> = { always_on: 1, always_off: 0, traceidratio: undefined };

/** Throws an Error for a name or a ratio that OpenTelemetry does not allow. */
export function parseSampler(name = 'parentbased_always_on', argument: string | undefined): Sampler {
  const isParentBased = name.startsWith('parentbased_');
  const own = isParentBased ? name.slice('parentbased_'.length) : name;
  if (!Object.hasOwn(samplers, own))
    throw new Error(
      `OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of them after parentbased_.`,
    );
  return { isParentBased, ratio: samplers[own] ?? parseRatio(argument) };
}

function parseRatio(argument = '1'): number {
  const ratio = Number(argument);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
}

export function isRecorded({ isParentBased, ratio }: Sampler, trace: TraceContext | undefined, ids: SpanIds): boolean {
  if (isParentBased && trace) return trace.isSampled;
  if (ratio === 1 || ratio === 0) return ratio === 1;
  // Every sampler of a trace uses the same digits, so that all of them decide alike.
  const digits = (trace?.traceId ?? ids.traceId()).slice(-8);
  return Number.parseInt(digits, 16) < ratio * 0x1_0000_0000;
}
