export interface FaultOptions {
  readonly count: number;
  readonly seed: number;
  readonly hasStandby?: boolean;
  readonly isCitus?: boolean;
  /** The kinds of faults to choose from. */
  readonly kinds?: readonly string[];
  /** Settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Starts a node over the database at that address. By default, a node is a process of the built command. */
  readonly openNode?: (store: string) => Node;
}

/** The actions of the rig on a node. */
export interface Node {
  /** Why it ended by itself. */
  readonly death?: string | undefined;
  /** Resolves with the node's address when it accepts requests. */
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
