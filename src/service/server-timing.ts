import { describeReport, type QueryReport } from '../query/report.ts';

/** A query's report as the value of a Server-Timing header, which browsers and proxies show. ASCII throughout. */
export function serverTimingOf(report: QueryReport): string {
  const { plan, visited, returned, end, units } = report;
  const metrics = {
    plan: plan.kind,
    visited: String(visited),
    returned: String(returned),
    end,
    ...(units === undefined ? {} : { units: String(units) }),
    explanation: describeReport(report),
  };
  return Object.entries(metrics)
    .map(([name, text]) => `${name};desc="${text}"`)
    .join(', ');
}
