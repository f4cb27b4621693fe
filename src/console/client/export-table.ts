import { apiResponse } from './api.ts';

export interface TableSource {
  readonly account: string;
  readonly table: string;
  readonly signal: AbortSignal;
}

/** Gives the entities of a table to `use`, as bytes of NDJSON. Throws ApiError. */
export async function withExport<Result>(
  { account, table, signal }: TableSource,
  use: (lines: ReadableStream<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const path = `export/${encodeURIComponent(table)}`;
  return use(bodyOf(await apiResponse(path, { query: { account }, signal })));
}

const bodyOf = ({ body }: Response): ReadableStream<Uint8Array> => body ?? new Blob([]).stream();
