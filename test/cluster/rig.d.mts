export interface FaultOptions {
  readonly count: number;
  readonly seed: number;
  readonly hasStandby?: boolean;
  readonly isCitus?: boolean;
  /** Kinds of faults to pick from. */
  readonly kinds?: readonly string[];
  /** Settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Starts a node over the database of that address; without it, the built command. */
  readonly openNode?: (store: string) => Node;
}

/** What the rig does with a node. */
export interface Node {
  /** How it ended by itself. */
  readonly death?: string | undefined;
  /** Resolves with its address once it accepts requests. */
  ready(): Promise<string>;
  signal(name: string): void;
  kill(): Promise<unknown>;
  close(): Promise<void>;
}

export interface FaultResult {
  readonly violations: readonly string[];
  readonly answered: number;
  readonly unknown: number;
  readonly refused: number;
  readonly faults: Readonly<Record<string, number>>;
}

export function runFaults(options: FaultOptions): Promise<FaultResult>;
