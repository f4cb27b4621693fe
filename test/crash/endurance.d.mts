export interface EnduranceSample {
  /** Seconds from the start. */
  readonly at: number;
  readonly memoryBytes: number;
  readonly handles: number;
  readonly fileBytes: number;
  readonly walBytes: number;
  /** Latency of a read: the median of twenty. */
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

/** What is wrong with the samples, one sentence for each fault. */
export function passedBounds(samples: readonly EnduranceSample[]): string[];
