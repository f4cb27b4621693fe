// This schema follows the OASIS specification of SARIF 2.1.0, but includes only the members that the advisor uses. For
// these members, it states which are required, and which values the specification lists.

import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { renderSarif } from '../../../src/advisor/render-sarif.ts';
import { emptyReport, fullReport } from './reports.ts';

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object) => ({ type: 'array', items, uniqueItems: true });
const text = { type: 'string', minLength: 1 };
const message = object({ text }, ['text']);
const level = { enum: ['none', 'note', 'warning', 'error'] };
const utc = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' };
const uriReference = { type: 'string', pattern: "^[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$" };

const rule = object(
  {
    id: text,
    shortDescription: message,
    fullDescription: message,
    help: message,
    defaultConfiguration: object({ level }),
  },
  ['id'],
);
const location = object({
  physicalLocation: object({ artifactLocation: object({ uri: uriReference }) }, ['artifactLocation']),
  logicalLocations: list(object({ fullyQualifiedName: text, kind: text })),
});
const suppression = object({ kind: { enum: ['inSource', 'external'] }, justification: text }, ['kind']);
const result = object(
  {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: 0 },
    level,
    message,
    locations: list(location),
    partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
    occurrenceCount: { type: 'integer', minimum: 1 },
    suppressions: list(suppression),
    properties: { type: 'object' },
  },
  ['message'],
);
const driver = object({ name: text, version: text, rules: list(rule) }, ['name']);
const invocation = object({ executionSuccessful: { type: 'boolean' }, startTimeUtc: utc, endTimeUtc: utc }, [
  'executionSuccessful',
]);
const run = object(
  {
    tool: object({ driver }, ['driver']),
    invocations: list(invocation),
    columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
    results: list(result),
  },
  ['tool'],
);
const log = object({ $schema: { type: 'string' }, version: { const: '2.1.0' }, runs: { type: 'array', items: run } }, [
  'version',
  'runs',
]);
const isLog = new Ajv({ allErrors: true }).compile(log);

describe('renderSarif', () => {
  it.each([
    ['findings', fullReport],
    ['none', emptyReport],
  ])('writes a log of SARIF 2.1.0 for a report with %s', (_name, report) => {
    isLog(JSON.parse(renderSarif(report)));
    expect(isLog.errors ?? []).toEqual([]);
  });

  it('names a rule of the driver in each result, and suppresses accepted findings', () => {
    const { tool, results } = JSON.parse(renderSarif(fullReport)).runs[0];
    expect(results).toHaveLength(3);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect(results.map(({ suppressions }: { suppressions?: object[] }) => suppressions?.length ?? 0)).toEqual([
      0, 0, 1,
    ]);
  });
});
