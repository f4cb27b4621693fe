export interface Field {
  readonly part: string;
  readonly name: string;
  readonly value: string;
}

export function buildRequest(form: {
  readonly path: string;
  readonly endpoint: string;
  readonly fields: readonly Field[];
}): {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};
