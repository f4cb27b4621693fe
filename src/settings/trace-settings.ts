import { shownUrl } from '../model/shown-url.ts';
import type { RowsFor } from './setting.ts';

export interface TraceOptions {
  /**
   * Send a span of each request to this collector: an address that begins with http:// or https://, or `env` for the
   * variables of OpenTelemetry (docs/traces.md). Without this option, nothing is sent.
   */
  readonly otlp?: string;
  /** Address to which the console links a trace. It begins with http:// or https:// and contains `{traceId}`. */
  readonly traceUrl?: string;
}

/** @internal */
export const traceRows = {
  otlp: {
    kind: 'text',
    flag: '--otlp <url|env>',
    isSecret: true,
    shown: (value) => (value === 'env' ? value : shownUrl(value)),
    pattern: {
      regex: /^(?:env|https?:\/\/[^\s/?#]+(?:[/?#]\S*)?)$/,
      expected: 'an address that begins with http:// or https://, or env',
    },
    defaultText: 'nothing is sent',
    help: 'send a span of each request to this collector, or to the collector in the variables of OpenTelemetry',
    details: '[Traces](traces.md).',
  },
  traceUrl: {
    kind: 'text',
    flag: '--trace-url <url>',
    pattern: {
      regex: /^https?:\/\/[^\s/?#{}]+[/?#](?:[^\s{}]|\{traceId\})*\{traceId\}(?:[^\s{}]|\{traceId\})*$/,
      expected: 'an address that begins with http:// or https:// and contains {traceId} after the host',
    },
    help: 'link traces in the console to this address: http://localhost:16686/trace/{traceId}',
    details: '[Traces](traces.md#see-the-requests-of-one-trace).',
  },
} as const satisfies RowsFor<TraceOptions>;
