import {
  type AdvisorReport,
  type Finding,
  type Ignore,
  isAtLeast,
  type Severity,
  severities,
  withoutIgnored,
} from '../advisor/report.ts';
import { ruleIds } from '../advisor/thresholds.ts';
import type { Emulator } from './start-emulator.ts';

export interface FindingsOptions {
  /** Findings below this severity do not count. Default `warning`. */
  readonly least?: Severity;
  /** Findings that are accepted, and why. */
  readonly ignore?: readonly Ignore[];
}

/** The part of an emulator that the check needs. */
export type Advised = Pick<Emulator, 'advisor'>;

/**
 * Rejects if the advisor has findings of at least the given severity. The Error lists these findings. Works with every
 * test runner: `afterAll(() => expectNoFindings(emulator))`.
 */
export async function expectNoFindings(emulator: Advised, options: FindingsOptions = {}): Promise<void> {
  const { findings, text } = await findingsOf(emulator, options);
  if (findings.length > 0) throw new Error(text);
}

/**
 * Returns the findings that are severe enough and not ignored, together with a text that lists them. Throws TypeError
 * for invalid options.
 */
export async function findingsOf(
  { advisor }: Advised,
  { least = 'warning', ignore = [] }: FindingsOptions,
): Promise<{ readonly findings: readonly Finding[]; readonly text: string }> {
  if (!severities.includes(least)) throw new TypeError(`least must be one of ${severities.join(', ')}`);
  for (const { rule, reason } of ignore) {
    if (!ruleIds.some((id) => id === rule)) throw new TypeError(`ignore: there is no rule ${rule}`);
    if (typeof reason !== 'string' || reason.trim() === '') throw new TypeError(`ignore: ${rule} needs a reason`);
  }
  const report = withoutIgnored(await advisor.report(), ignore);
  const findings = report.findings.filter(({ severity }) => isAtLeast(severity, least));
  const { renderText } = await import('../advisor/render-text.ts');
  const shown: AdvisorReport = { ...report, findings };
  return { findings, text: findings.length === 0 ? 'no findings' : `the advisor has findings:\n${renderText(shown)}` };
}
