export interface EnduranceSample {
  /** Seconds since the start. */
  readonly at: number;
  readonly memoryBytes: number;
  readonly handles: number;
  readonly fileBytes: number;
  readonly walBytes: number;
  /** The latency of a read: the median of twenty reads. */
  readonly latencyMs: number;
}

export function endure(options: {
  readonly seconds: number;
  readonly seed: number;
  readonly report?: (sample: EnduranceSample) => void;
}): Promise<{
  readonly samples: readonly EnduranceSample[];
  readonly failures: readonly string[];
  readonly counts: Readonly<Record<'queries' | 'tables' | 'snapshots' | 'exports' | 'faults' | 'writes', number>>;
  readonly location: string;
}>;

/** Describes what is wrong with the samples, in a sentence for each fault. */
export function passedBounds(samples: readonly EnduranceSample[]): string[];
