// Loads the export of spans only if a setting asks for it.

import type { RequestRecord } from '../model/request-record.ts';
import type { SpanExport, TraceSettings } from './open-traces.ts';

/**
 * Opens the export of spans. Resolves with undefined if `--otlp` is not given, or if OpenTelemetry's variables switch
 * the export off. If a setting is invalid, rejects with an Error that says what is wrong.
 */
export async function openTracesIfAsked({
  otlp,
  ...settings
}: Omit<TraceSettings, 'otlp'> & { readonly otlp?: string | undefined }): Promise<SpanExport | undefined> {
  if (otlp === undefined) return undefined;
  const { openTraces } = await import('./open-traces.ts');
  return openTraces({ ...settings, otlp });
}

/** Passes each record to the observer and, if spans are exported, to the export. */
export function recordWith(
  spans: SpanExport | undefined,
  observe: (record: RequestRecord) => void,
): (record: RequestRecord) => void {
  if (!spans) return observe;
  return (record) => {
    observe(record);
    spans.add(record);
  };
}
