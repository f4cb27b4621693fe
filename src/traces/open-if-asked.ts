// What sends spans is loaded for those who ask for it.

import type { RequestRecord } from '../model/request-record.ts';
import type { SpanExport, TraceSettings } from './open-traces.ts';

/** Undefined without `--otlp`, and where the variables of OpenTelemetry switch it off. Rejects with an Error that says what does not fit. */
export async function openTracesIfAsked({
  otlp,
  ...settings
}: Omit<TraceSettings, 'otlp'> & { readonly otlp?: string | undefined }): Promise<SpanExport | undefined> {
  if (otlp === undefined) return undefined;
  const { openTraces } = await import('./open-traces.ts');
  return openTraces({ ...settings, otlp });
}

/** Hands each record to both; without spans, to the observer alone. */
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
