export interface FleetOptions {
  readonly seed: number;
  readonly writers?: number;
  /** Keys of each writer. */
  readonly keys?: number;
}

export interface FleetRun {
  /** Resolves when every writer has ended, because it was stopped or because the server is gone. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

export class Fleet {
  constructor(options: FleetOptions);
  /** Writes answered so far, refusals among them. */
  readonly acknowledged: number;
  /** What went against the promises, each as a sentence. */
  readonly violations: readonly string[];
  start(url: string): Promise<FleetRun>;
  /** Reads everything back; what should not be there, or should be and is not, joins the violations. */
  verify(url: string): Promise<void>;
}
