import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

export const atomFormat = defineRule<'atom-format'>({
  id: 'atom-format',
  severity: 'warning',
  title: 'a client asks for AtomPub',
  why: 'AtomPub is several times as large as JSON, and service versions after 2015-12-11 do not support it.',
  advice: 'Ask for `application/json;odata=nometadata` or `minimalmetadata`, or use a current client library.',
  pattern: null,
  source: checklistPage('Use JSON'),
  occasion: ({ all }) => all.length > 0,
  judge({ all }, { count }) {
    const tally = new Tally(count);
    for (const by of all) {
      if (!by.isAtom) continue;
      const { userAgent } = by.client;
      // An answer in AtomPub has about three times as many bytes as in JSON.
      const cost = { bytes: Math.round((by.bytesOut * 2) / 3) };
      tally.add({
        by,
        table: null,
        subject: userAgent,
        cost,
        evidence: () => ({ userAgent, request: requestText(by) }),
      });
    }
    return tally.candidates;
  },
});
