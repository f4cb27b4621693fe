// `tanzanite advise`: what the design guides say about the requests that a running emulator has answered.

import { type Command, Option } from 'commander';
import type { AdvisorRules } from '../advisor/advisor-rules.ts';
import { compareReports, renderComparison } from '../advisor/compare.ts';
import { type ReportFormat, renderReport, reportFormats } from '../advisor/render-report.ts';
import {
  type AdvisorReport,
  type Ignore,
  isAtLeast,
  type Severity,
  severities,
  withoutIgnored,
} from '../advisor/report.ts';
import { advisorRows } from '../settings/advisor-settings.ts';
import { readIgnoreFlag, readReportFile, withoutKnown } from './advice-files.ts';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { exitCodeFindings, UnusableOption } from './exit-codes.ts';
import { findObjectInFile, readSettingsFile } from './settings-file.ts';
import { openStandardOutput } from './standard-output.ts';

const help = `
The report covers the requests since the emulator started, or since a DELETE
of /_emulator/advisor. --format json makes a report that --baseline and
--compare can read later; findings match if their rule and table match.
docs/advisor describes every rule.

Accept findings with --ignore, or in tanzanite.json:
  {"advisor": {"ignore": [{"rule": "table-scan", "table": "Colours",
                           "reason": "a small table"}]}}

Examples:
  npm test && tanzanite advise --fail-on warning
  tanzanite advise --format json > advice.json
  tanzanite advise --baseline advice.json --fail-on note
  tanzanite advise --ignore "table-scan:Colours=a small table"

The exit code is 3 if there are findings at or above --fail-on.

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

export interface AdviseFlags extends ControlFlags {
  readonly format: ReportFormat;
  readonly failOn?: Severity;
  readonly baseline?: string;
  readonly compare?: string;
  readonly ignore: readonly string[];
  readonly redactValues?: true;
}

/** `tanzanite advise` */
export function addAdvise(command: Command, { environment }: CommandContext): void {
  const collect = (word: string, before: readonly string[]): readonly string[] => [...before, word];
  addControlFlags(command)
    .summary('judge the requests so far by the design guides')
    .description("judge the requests of a running emulator by Microsoft's design guides")
    .addOption(new Option('--format <format>', 'print the report in this form').choices(reportFormats).default('text'))
    .addOption(
      new Option('--fail-on <severity>', 'exit with 3 if a finding is at least this severe').choices(severities),
    )
    .option('--baseline <file>', 'leave out the findings in this saved report')
    .option('--compare <file>', 'show which findings are new or gone since this saved report')
    .option('--ignore <rule[:table]=reason>', 'accept what a rule finds, and say why (repeatable)', collect, [])
    .option('--redact-values', 'print neither keys nor filter values')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: AdviseFlags) => advise(readControlAddress(flags, environment), flags));
}

/** Larger than a report that has every rule for hundreds of tables. */
const reportBytesMax = 67_108_864;

/** Prints the report. Throws NoAnswer and UnusableOption. */
async function advise(emulator: ControlAddress, flags: AdviseFlags): Promise<void> {
  const { format, failOn, baseline, compare, redactValues } = flags;
  if (compare !== undefined && format !== 'text' && format !== 'json') {
    throw new UnusableOption(`--compare takes --format text or json, not ${format}.`);
  }
  // Read all files first: a wrong file is refused before the emulator is asked.
  const ignores = [...flags.ignore.map(readIgnoreFlag), ...ignoresOfFile()];
  const known = baseline === undefined ? undefined : readReportFile('--baseline', baseline);
  const earlier = compare === undefined ? undefined : readReportFile('--compare', compare);
  const path = redactValues ? 'advisor?redact=true' : 'advisor';
  const question = { method: 'GET', path, expects: 'findings', answerBytesMax: reportBytesMax } as const;
  const answer = (await askEmulator(question, emulator)) as unknown as AdvisorReport;
  const accepted = withoutIgnored(answer, ignores);
  const report = known ? withoutKnown(accepted, known) : accepted;
  await openStandardOutput().write(render(report, { format, earlier }));
  const isFailure = failOn !== undefined && report.findings.some(({ severity }) => isAtLeast(severity, failOn));
  if (isFailure) process.exitCode = exitCodeFindings;
}

function render(
  report: AdvisorReport,
  { format, earlier }: { readonly format: ReportFormat; readonly earlier: AdvisorReport | undefined },
): string {
  if (!earlier) return renderReport(report, format, process.stdout.columns);
  const comparison = compareReports(earlier, report);
  if (format === 'json') return `${JSON.stringify({ ...report, comparison }, undefined, 2)}\n`;
  return `${renderReport(report, format, process.stdout.columns)}\n${renderComparison(comparison)}`;
}

function ignoresOfFile(): readonly Ignore[] {
  const rules = findObjectInFile(advisorRows.advisorRules, readSettingsFile(undefined)) as AdvisorRules | undefined;
  return rules?.ignore ?? [];
}
