import type { BatchWarning } from '../../model/request-record.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { transactionsPage } from '../sources.ts';

const faults: Readonly<Record<BatchWarning['kind'], string>> = {
  'nothing read': 'it holds no request between lines of its boundary',
  'no end': 'its last delimiter is missing',
};

export const malformedBatch = defineRule<'malformed-batch'>({
  id: 'malformed-batch',
  severity: 'warning',
  title: 'a batch is answered with 202 although its form is wrong',
  why: 'Where the boundary in Content-Type is not that of the body, nothing is written. Where the end is missing, requests that were lost on the way are not missed either.',
  advice:
    'Give the body the boundary that Content-Type names, end it with `--boundary--`, and compare the number of responses with that of the requests.',
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
