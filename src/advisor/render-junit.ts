// Renders the report as JUnit. A finding is a failed test case, an accepted finding is a skipped test case, and a rule
// without findings is a passed test case.

import { costText, figureText } from './render-text.ts';
import type { AdvisorReport, Finding } from './report.ts';
import { ruleOf, rules } from './rules.ts';
import type { RuleId } from './thresholds.ts';

export function renderJunit(report: AdvisorReport): string {
  const cases = rules.flatMap(({ id }) => casesOf(id, report));
  const failures = report.findings.length;
  const skipped = report.ignored.length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="0"`;
  const timestamp = report.to.slice(0, 19);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites>`,
    `  <testsuite name="tanzanite.advisor" ${counts} timestamp="${timestamp}" hostname="localhost" id="0" package="tanzanite">`,
    '    <properties></properties>',
    ...cases,
    '    <system-out></system-out>',
    '    <system-err></system-err>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf(id: RuleId, { findings, ignored }: AdvisorReport): string[] {
  const failed = findings.filter(({ rule }) => rule === id).map((finding) => caseOf(id, finding, failureOf(finding)));
  const skipped = ignored
    .filter(({ rule }) => rule === id)
    .map((finding) => caseOf(id, finding, '<skipped></skipped>'));
  return failed.length + skipped.length > 0 ? [...failed, ...skipped] : [caseOf(id, undefined, '')];
}

function caseOf(id: RuleId, finding: Finding | undefined, result: string): string {
  const place = finding === undefined ? '' : ` ${finding.account}/${finding.table ?? ''}`;
  return `    <testcase name="${xml(`${id}${place}`)}" classname="tanzanite.advisor" time="0">${result}</testcase>`;
}

function failureOf({ rule, severity, count, evidence, cost, advice }: Finding): string {
  const text = [
    ...Object.entries(evidence).map(figureText),
    `saves ${costText(cost) || 'nothing measured'}`,
    advice,
  ].join('\n');
  const message = `${ruleOf(rule as RuleId).title} (${count} times)`;
  return `<failure type="${severity}" message="${xml(message)}">${xml(text)}</failure>`;
}

const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

/** XML 1.0 allows only three control characters. */
const xml = (text: string): string =>
  text
    .replaceAll(/[<>&"]/g, (char) => entities[char] ?? '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are to be replaced
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?');
