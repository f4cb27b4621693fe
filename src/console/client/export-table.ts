import { api, apiResponse } from './api.ts';

export interface TableSource {
  readonly account: string;
  readonly table: string;
  readonly signal: AbortSignal;
}

/** Exports a table as it is at one moment, and passes its entities to `use` as bytes of NDJSON. Throws ApiError. */
export async function withExport<Result>(
  { account, table, signal }: TableSource,
  use: (lines: ReadableStream<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const body = { account, tables: [table] };
  const { export: id } = await api<{ readonly export: string }>('export', { method: 'POST', body, signal });
  try {
    return await use(bodyOf(await apiResponse(`export/${id}/tables/${encodeURIComponent(table)}`, { signal })));
  } finally {
    // If the client disconnected, the emulator has already ended the export, and this request fails.
    await api(`export/${id}`, { method: 'DELETE' }).catch(() => undefined);
  }
}

const bodyOf = ({ body }: Response): ReadableStream<Uint8Array> => body ?? new Blob([]).stream();
