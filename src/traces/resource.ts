import { randomUUID } from 'node:crypto';
import { renderAttributes } from './attributes.ts';

/** The text before and after the spans in a request to the collector. */
export interface Envelope {
  readonly before: string;
  readonly after: string;
}

/** Describes the emulator as a resource of OpenTelemetry. Attributes that the user gives take precedence. */
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
