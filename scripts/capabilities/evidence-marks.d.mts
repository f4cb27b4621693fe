export interface Mark {
  readonly file: string;
  readonly name: string;
  readonly statement: string;
  readonly evidence: readonly { readonly kind: string; readonly text?: string }[];
}

export function marksIn(file: string, text: string): Mark[];
export function isCountable(mark: Mark): boolean;
export function instrument(text: string, marks: readonly Mark[], keyOf: (mark: Mark) => string): string;
