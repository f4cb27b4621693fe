import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../src/advisor/render-markdown.ts';
import { fullReport } from './reports.ts';

/** Characters that clear a screen, reverse the text around them, or are invisible. */
const hostile = 'a\u001b[2J\u202eb\u2066c\u200b\r';

describe('A report as Markdown', () => {
  it('shows controls and bidirectional marks as escapes, wherever it contains text of a client', () => {
    const finding = { ...fullReport.findings[0]!, evidence: { userAgent: hostile, examples: [hostile] } };
    const text = renderMarkdown({
      ...fullReport,
      findings: [finding],
      ignored: [{ ...finding, reason: hostile }],
      tables: [{ account: hostile, table: hostile, billableTransactions: 1, units: 1, storedBytes: null }],
    });
    expect(text.match(/\\u001b\[2J\\u202eb\\u2066c\\u200b\\u000d/g)).toHaveLength(5);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cf}\p{Cc}]/u);
  });
});
