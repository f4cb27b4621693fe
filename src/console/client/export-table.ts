import { api, apiResponse } from './api.ts';

export interface TableSource {
  readonly account: string;
  readonly table: string;
  readonly signal: AbortSignal;
}

/** Passes the entities of a table at one moment to `use`, as bytes of NDJSON. Throws ApiError. */
export async function withExport<Result>(
  { account, table, signal }: TableSource,
  use: (lines: ReadableStream<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const body = { account, tables: [table] };
  const { export: id } = await api<{ readonly export: string }>('export', { method: 'POST', body, signal });
  try {
    return await use(bodyOf(await apiResponse(`export/${id}/tables/${encodeURIComponent(table)}`, { signal })));
  } finally {
    // An export whose client disconnected has ended already.
    await api(`export/${id}`, { method: 'DELETE' }).catch(() => undefined);
  }
}

const bodyOf = ({ body }: Response): ReadableStream<Uint8Array> => body ?? new Blob([]).stream();
