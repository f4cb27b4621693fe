import type { BatchWarning } from '../../model/request-record.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { transactionsPage } from '../sources.ts';

const faults: Readonly<Record<BatchWarning['kind'], string>> = {
  'nothing read': 'no request in the body is delimited with the boundary from Content-Type',
  'no end': 'the last delimiter is missing',
};

export const malformedBatch = defineRule<'malformed-batch'>({
  id: 'malformed-batch',
  severity: 'warning',
  title: 'a batch is answered with 202 although its form is wrong',
  why: 'If the boundary in Content-Type differs from the boundary in the body, nothing is written. If the last delimiter is missing, the service cannot notice that requests were lost in transit.',
  advice:
    'Use the same boundary in the body as in Content-Type, end the body with `--boundary--`, and compare the number of responses with the number of requests.',
  pattern: null,
  source: transactionsPage('Requirements for entity group transactions'),
  occasion: ({ all }) => all.some(({ operation }) => operation === 'EntityGroupTransaction'),
  judge({ all }, { count }) {
    const tally = new Tally(count);
    for (const by of all) {
      if (by.batchWarning === undefined || by.status >= 300) continue;
      const fault = faults[by.batchWarning];
      const { userAgent } = by.client;
      tally.add({ by, subject: fault, evidence: () => ({ fault, userAgent, request: requestText(by) }) });
    }
    return tally.candidates;
  },
});
