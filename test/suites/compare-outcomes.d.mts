export interface Outcome {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly message: string;
}

export interface Comparison {
  readonly passed: number;
  readonly skipped: readonly Outcome[];
  readonly failed: readonly Outcome[];
  readonly expected: readonly { readonly name: string; readonly reason: string }[];
  readonly unexpected: readonly Outcome[];
  readonly outdated: readonly { readonly name: string; readonly state: string }[];
}

export function compareOutcomes(
  outcomes: readonly Outcome[],
  expectedFailures: Readonly<Record<string, string>>,
): Comparison;
