// Metrics in Prometheus' text form. No label holds the name of an account, a table or a key, because the number of such
// names is unlimited. GET /_emulator/capacity reports the busiest accounts, tables and keys.

import { existsSync, readdirSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricType,
  type MetricValueWithName,
  Registry,
} from 'prom-client';
import manifest from '../../../package.json' with { type: 'json' };
import { durationBounds, type TrafficTotals } from '../../traffic/traffic-totals.ts';
import type { ControlTools } from '../control-route.ts';
import { secondsSinceStart } from './health.ts';

type Collect<M> = (this: M) => void;

/** Returns a function that renders all metrics as of now. */
export function createRenderer(tools: ControlTools): () => Promise<string> {
  const registry = new Registry();
  addTraffic(registry, tools.traffic);
  addCapacity(registry, tools);
  addProcess(registry, tools);
  addStandard(registry);
  return () => registry.metrics();
}

function addTraffic(registry: Registry, traffic: TrafficTotals): void {
  counter(registry, 'requests_total', {
    help: 'Requests answered.',
    labelNames: ['operation', 'status'],
    collect() {
      for (const [operation, byStatus] of traffic.requests) {
        for (const [status, requests] of byStatus) this.inc({ operation, status }, requests);
      }
    },
  });
  counter(registry, 'faults_total', {
    help: 'Requests that a fault struck. Those that got no response from the service are in no other counter.',
    labelNames: ['rule', 'kind'],
    collect() {
      for (const [rule, byKind] of traffic.faults) {
        for (const [kind, requests] of byKind) this.inc({ rule, kind }, requests);
      }
    },
  });
  registry.registerMetric(new DurationHistogram(traffic));
  const perPlan = (name: string, help: string, value: 'queries' | 'visited' | 'returned'): void =>
    counter(registry, name, {
      help,
      labelNames: ['plan'],
      collect() {
        for (const [plan, tally] of traffic.queries) this.inc({ plan }, tally[value]);
      },
    });
  perPlan('queries_total', 'Queries of entities, by the plan that the service would choose.', 'queries');
  perPlan('entities_visited_total', 'Entities that queries looked at.', 'visited');
  perPlan('entities_returned_total', 'Entities that queries returned.', 'returned');
}

function addCapacity(registry: Registry, { capacity }: ControlTools): void {
  counter(registry, 'entity_units_total', {
    help: 'Entity units (1 KiB) that were asked for.',
    labelNames: [],
    collect() {
      this.inc(capacity.totals().units);
    },
  });
  counter(registry, 'throttled_total', {
    help: 'Requests over a limit: busy and timedOut were refused, wouldThrottle would have been.',
    labelNames: ['limit', 'outcome'],
    collect() {
      for (const [limit, counts] of Object.entries(capacity.totals().refusals)) {
        for (const [outcome, requests] of Object.entries(counts)) this.inc({ limit, outcome }, requests);
      }
    },
  });
  counter(registry, 'pages_cut_total', {
    help: 'Pages that ended, or would have ended, because a budget was spent.',
    labelNames: [],
    collect() {
      this.inc(capacity.totals().pagesCut);
    },
  });
  gauge(registry, 'waiting_requests', 'Requests that wait for capacity.', () => capacity.waiting());
}

function addProcess(registry: Registry, tools: ControlTools): void {
  const { inFlight, log } = tools;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let since = performance.eventLoopUtilization();
  gauge(
    registry,
    'requests_in_flight',
    'Requests of the table service whose response is not flushed yet.',
    () => inFlight.requests,
  );
  counter(registry, 'overloaded_total', {
    help: 'Requests refused because more were in flight than --requests-in-flight-max, or too many bytes waited.',
    labelNames: [],
    collect() {
      this.inc(inFlight.refused);
    },
  });
  counter(registry, 'log_lines_dropped_total', {
    help: 'Lines of the log that were dropped because its destination did not accept them.',
    labelNames: [],
    collect() {
      this.inc(log?.linesDropped?.() ?? 0);
    },
  });
  addSpans(registry, tools.spans);
  gauge(registry, 'uptime_seconds', 'Seconds since the start.', () => secondsSinceStart(tools));
  gauge(registry, 'resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  gauge(registry, 'event_loop_utilization', 'Share of time the event loop was busy since the last scrape.', () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    return utilization;
  });
  gauge(registry, 'event_loop_delay_p99_seconds', 'How late timers were, since the last scrape.', () => {
    const seconds = delay.percentile(99) / 1e9;
    delay.reset();
    return seconds;
  });
}

/** Without `--otlp`, there are no spans to count. */
function addSpans(registry: Registry, spans: ControlTools['spans']): void {
  if (!spans) return;
  const help = 'Spans of requests that the collector of traces';
  const add = (name: string, text: string, value: 'sent' | 'dropped'): void =>
    counter(registry, name, {
      help: text,
      labelNames: [],
      collect() {
        this.inc(spans[value]);
      },
    });
  add('spans_sent_total', `${help} took.`, 'sent');
  add('spans_dropped_total', `${help} refused, or that were dropped because too many waited.`, 'dropped');
}

/**
 * Adds the metrics that dashboards read from any process, under the names that Prometheus' own clients use (Prometheus:
 * Writing client libraries, Process metrics).
 */
function addStandard(registry: Registry): void {
  new Gauge({
    name: 'tanzanite_build_info',
    help: 'Always 1: the labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
    collect() {
      this.set({ version: manifest.version, node: process.version }, 1);
    },
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, in user and system mode.',
    registers: [registry],
    collect() {
      this.reset();
      const { user, system } = process.cpuUsage();
      this.inc((user + system) / 1e6);
    },
  });
  const standard = (name: string, help: string, value: () => number): void =>
    void new Gauge({
      name: `process_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  standard('resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  standard('start_time_seconds', 'When the process was started, since 1970.', () => performance.timeOrigin / 1000);
  if (existsSync(openFiles)) standard('open_fds', 'Open file descriptors.', () => readdirSync(openFiles).length);
}

/** A folder with the open files of this process. It exists only on Linux. */
const openFiles = '/proc/self/fd';

interface CounterTerms {
  readonly help: string;
  readonly labelNames: string[];
  readonly collect: Collect<Counter>;
}

/** A counter whose value is kept elsewhere and read for every scrape. */
function counter(registry: Registry, name: string, { help, labelNames, collect }: CounterTerms): void {
  new Counter({
    name: `tanzanite_${name}`,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      collect.call(this);
    },
  });
}

function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name: `tanzanite_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

/**
 * A histogram that renders the counts of TrafficTotals. The histogram of prom-client would count the requests a second
 * time. It would also miss the requests that TrafficTotals counted before the histogram was created.
 */
class DurationHistogram extends Histogram {
  readonly #traffic: TrafficTotals;

  constructor(traffic: TrafficTotals) {
    super({ name: durationName, help: durationHelp, registers: [] });
    this.#traffic = traffic;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const values = [...this.#traffic.durations].flatMap(([operation, { requests, seconds }]) => {
      let sum = 0;
      const buckets = requests.map((count, at) => {
        sum += count;
        return metric('_bucket', { operation, le: durationBounds[at] ?? '+Inf' }, sum);
      });
      return [...buckets, metric('_sum', { operation }, seconds), metric('_count', { operation }, sum)];
    });
    const collect = (): void => undefined;
    return { name: durationName, help: durationHelp, type: histogramType, aggregator: 'sum', values, collect };
  }

  /** The registry calls this method instead of `get`. */
  getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    return this.get();
  }
}

const durationName = 'tanzanite_request_duration_seconds';
const durationHelp = 'How long answering took.';
/** In the declarations, the type is an enumeration. At run time, its value is this text. */
const histogramType = 'histogram' as unknown as MetricType;

function metric(suffix: string, labels: Record<string, string | number>, value: number): MetricValueWithName<string> {
  return { metricName: durationName + suffix, labels, value };
}
