// Calculates requests per second, errors and latencies from two readings of the emulator's metrics (GET
// /_emulator/metrics).

/** Counts since the start of the emulator. */
export interface TrafficReading {
  readonly requests: number;
  /** Requests that were answered with 4xx. */
  readonly refused: number;
  /** Requests that were answered with 5xx. */
  readonly failed: number;
  /** Requests by upper bound of their duration in seconds. Each count includes the counts of the lower bounds. */
  readonly upTo: ReadonlyMap<number, number>;
  readonly uptimeSeconds: number;
}

/** Reads the metrics of an emulator. */
export function readTraffic(metrics: string): TrafficReading {
  const upTo = new Map<number, number>();
  let [requests, refused, failed, uptimeSeconds] = [0, 0, 0, 0];
  for (const { name, labels, value } of metrics.split('\n').flatMap(parseLine)) {
    if (name === 'tanzanite_uptime_seconds') uptimeSeconds = value;
    if (name === 'tanzanite_requests_total') {
      const status = Number(labelIn(labels, 'status'));
      requests += value;
      if (status >= 500) failed += value;
      else if (status >= 400) refused += value;
    }
    if (name === 'tanzanite_request_duration_seconds_bucket') {
      const bound = labelIn(labels, 'le');
      const seconds = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
      upTo.set(seconds, (upTo.get(seconds) ?? 0) + value);
    }
  }
  return { requests, refused, failed, upTo, uptimeSeconds };
}

/**
 * Returns a text such as "120 requests/s, 3/s refused (4xx), 0/s failed (5xx); half within 1 ms, 99 % within 5 ms".
 * Returns undefined before the second reading and after a restart.
 */
export function describeRates(before: TrafficReading | undefined, after: TrafficReading): string | undefined {
  const seconds = after.uptimeSeconds - (before?.uptimeSeconds ?? Number.POSITIVE_INFINITY);
  if (before === undefined || seconds <= 0 || after.requests < before.requests) return undefined;
  const rate = (name: 'requests' | 'refused' | 'failed'): string => perSecond((after[name] - before[name]) / seconds);
  const latencies = [0.5, 0.99].map((share) => boundOf(share, before, after));
  const [half, most] = latencies;
  const durations = half === undefined || most === undefined ? '' : `; half ${half}, 99 % ${most}`;
  return `${rate('requests')} requests/s, ${rate('refused')}/s refused (4xx), ${rate('failed')}/s failed (5xx)${durations}`;
}

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

function parseLine(line: string): Sample[] {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  return name === undefined ? [] : [{ name, labels, value: Number(value) }];
}

const labelIn = (labels: string, name: string): string | undefined =>
  new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];

/** The duration within which this share of the requests between the readings ended, as the bound of a bucket. */
function boundOf(share: number, before: TrafficReading, after: TrafficReading): string | undefined {
  const requests = after.requests - before.requests;
  if (requests === 0) return undefined;
  const bounds = [...after.upTo.keys()].sort((a, b) => a - b);
  const reached = bounds.find(
    (bound) => (after.upTo.get(bound) ?? 0) - (before.upTo.get(bound) ?? 0) >= share * requests,
  );
  const finite = bounds.filter(Number.isFinite).at(-1) ?? 0;
  if (reached === undefined || reached > finite) return `over ${finite} s`;
  return `within ${reached < 1 ? `${reached * 1000} ms` : `${reached} s`}`;
}

const perSecond = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value > 0 && value < 10 ? 1 : 0 });
