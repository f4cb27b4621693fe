import type { WireAnswer } from '../../support/table-client.ts';

/** An answer in a word or two: `200`, or `409 TableBeingDeleted` for a refusal, be its body JSON or XML. */
export function outcomeOf({ status, body }: WireAnswer): string {
  const code = /"odata\.error":\{"code":"(\w+)"/.exec(body)?.[1] ?? /<(?:m:)?code>(\w+)</.exec(body)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}
