// Reports of the advisor, for tests that render them.

import type { AdvisorReport, Finding } from '../../../src/advisor/report.ts';

const finding: Finding = {
  rule: 'table-scan',
  severity: 'warning',
  account: 'devstoreaccount1',
  table: 'People',
  count: 3,
  firstAt: '2024-01-02T03:04:05.678Z',
  lastAt: '2024-01-02T03:05:06.789Z',
  evidence: { plan: 'table scan', visited: 1_200, request: 'GET /People()?$filter=name eq \'<a> & "b"\u0001\'' },
  cost: { visited: 1_199, bytes: 0, roundTrips: 2, transactions: 2 },
  why: 'why',
  advice: 'advice',
  pattern: null,
  source: { document: 'document', section: 'section' },
};

export const emptyReport: AdvisorReport = {
  from: '2024-01-02T03:04:05.678Z',
  to: '2024-01-02T03:06:00.000Z',
  requests: 7,
  notJudged: 0,
  findings: [],
  ignored: [],
  checklist: [],
  tables: [],
};

export const fullReport: AdvisorReport = {
  ...emptyReport,
  findings: [finding, { ...finding, rule: 'key-in-browser', severity: 'error', table: null }],
  ignored: [{ ...finding, rule: 'atom-format', table: 'Päis & <b>', reason: 'an old client' }],
};
