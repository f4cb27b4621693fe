// Renders the report as SARIF 2.1.0. Code hosts show the findings of a SARIF file next to the code. A finding of the
// advisor does not belong to a file of the program, so the location of the finding is the table.

import manifest from '../../package.json' with { type: 'json' };
import type { AdvisorReport, Finding, IgnoredFinding, Severity } from './report.ts';
import type { Rule } from './rule.ts';
import { ruleOf, rules } from './rules.ts';
import type { RuleId } from './thresholds.ts';

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'note' };

export function renderSarif({ findings, ignored, from, to }: AdvisorReport): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'tanzanite', version: manifest.version, rules: rules.map(renderRule) } },
        invocations: [{ executionSuccessful: true, startTimeUtc: from, endTimeUtc: to }],
        columnKind: 'utf16CodeUnits',
        results: [...findings.map(renderResult), ...ignored.map(renderSuppressed)],
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function renderRule({ id, title, why, advice, severity }: Rule): object {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: { text: advice },
    defaultConfiguration: { level: levels[severity] },
  };
}

function renderResult(finding: Finding): object {
  const { rule, severity, account, table, count, evidence, cost, advice, firstAt, lastAt } = finding;
  const name = table === null ? account : `${account}/${table}`;
  return {
    ruleId: rule,
    ruleIndex: rules.findIndex(({ id }) => id === rule),
    level: levels[severity],
    message: { text: `${ruleOf(rule as RuleId).title}. ${advice}` },
    locations: [
      {
        // Code hosts refuse a result without a file.
        physicalLocation: { artifactLocation: { uri: `tables/${encodeURIComponent(table ?? account)}` } },
        logicalLocations: [{ fullyQualifiedName: name, kind: table === null ? 'account' : 'table' }],
      },
    ],
    partialFingerprints: { 'ruleAndTable/v1': `${rule}:${name}` },
    occurrenceCount: count,
    properties: { evidence, cost, firstAt, lastAt },
  };
}

const renderSuppressed = (finding: IgnoredFinding): object => ({
  ...renderResult(finding),
  suppressions: [{ kind: 'external', justification: finding.reason }],
});
