import { randomUUID } from 'node:crypto';
import { renderAttributes } from './attributes.ts';

/** What is around the spans of a request to the collector. */
export interface Envelope {
  readonly before: string;
  readonly after: string;
}

/** The emulator as OpenTelemetry describes what sends spans; what the user gives comes before it. */
export function renderResource(given: Readonly<Record<string, string>>, version: string): Envelope {
  const attributes = renderAttributes({
    'service.name': 'tanzanite',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'telemetry.sdk.name': 'tanzanite',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    ...given,
  });
  const scope = JSON.stringify({ name: 'tanzanite', version });
  return {
    before: `{"resourceSpans":[{"resource":{"attributes":${attributes}},"scopeSpans":[{"scope":${scope},"spans":[`,
    after: ']}]}]}',
  };
}
