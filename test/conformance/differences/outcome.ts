import type { WireAnswer } from '../../support/table-client.ts';

/** A response as text: `200`, or `409 TableBeingDeleted` for an error in JSON or XML. */
export function outcomeOf({ status, body }: WireAnswer): string {
  const code = /"odata\.error":\{"code":"(\w+)"/.exec(body)?.[1] ?? /<(?:m:)?code>(\w+)</.exec(body)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}
