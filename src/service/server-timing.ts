import { filterRemark } from '../query/plan-advice.ts';
import { describeReport, type QueryReport } from '../query/report.ts';

/**
 * Returns a query's report as the value of a Server-Timing header, which browsers and proxies show. The value contains
 * only ASCII.
 */
export function serverTimingOf(report: QueryReport): string {
  const { plan, visited, returned, end, units } = report;
  const remark = filterRemark(plan.residual, report);
  const metrics = {
    plan: plan.kind,
    visited: String(visited),
    returned: String(returned),
    end,
    ...(units === undefined ? {} : { units: String(units) }),
    explanation: describeReport(report),
    ...(remark === undefined ? {} : { remark: asciiOf(remark) }),
  };
  return Object.entries(metrics)
    .map(([name, text]) => `${name};desc="${text}"`)
    .join(', ');
}

/**
 * Percent-encodes characters outside ASCII and characters that would end the text. The text can contain such
 * characters, because it can contain a literal of the filter.
 */
const asciiOf = (text: string): string => text.replace(/[^ !#-$&-[\]-~]/gu, encodeURIComponent);
