// Sends spans to a collector over OTLP/HTTP with JSON. Each request of the table service that the sampler selects gets
// one span. This module gets the record of a request when the response has been handed to the socket. No request waits
// for the export, and the export uses limited memory. The module must not depend on the service, the store or the log's
// format. No other part of the emulator sends telemetry.

import manifest from '../../package.json' with { type: 'json' };
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { MachineTime } from '../model/time.ts';
import { readCollector, type Variables } from './collector.ts';
import { renderResource } from './resource.ts';
import { isRecorded } from './sampler.ts';
import { renderSpan } from './span.ts';
import { randomIds } from './span-ids.ts';
import { type SpanCounts, SpanQueue } from './span-queue.ts';

export interface TraceSettings {
  /** The address of a collector, or `env`. */
  readonly otlp: string;
  /** The variables of OpenTelemetry, for `env`. */
  readonly otlpVariables?: Variables;
  readonly machineTime: MachineTime;
  readonly log?: EmulatorLog | undefined;
}

export interface SpanExport {
  readonly counts: SpanCounts;
  /** Makes the span of an answered request. Keeps no part of the record, and never throws. */
  add(record: RequestRecord): void;
  /** Sends waiting spans, for at most two seconds. */
  close(): Promise<void>;
}

/** Undefined if OpenTelemetry's variables switch the export off. Throws an Error that says what is wrong. */
export function openTraces({ otlp, otlpVariables = {}, machineTime, log }: TraceSettings): SpanExport | undefined {
  const collector = readCollector(otlp, otlpVariables);
  if (!collector) return undefined;
  const resource = renderResource(collector.resource, manifest.version);
  const queue = new SpanQueue({ collector, resource, time: machineTime, log });
  const ids = randomIds();
  return {
    counts: queue.counts,
    add(record) {
      if (!isRecorded(collector.sampler, record.trace, ids)) return;
      if (queue.isFull()) return;
      try {
        queue.add(renderSpan(record, { time: machineTime, ids, methods: collector.methods }));
      } catch (err) {
        log?.error({ err, requestId: record.requestId }, 'the span of a request could not be made');
      }
    },
    close: () => queue.close(),
  };
}
