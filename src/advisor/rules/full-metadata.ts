import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { payloadPage } from '../sources.ts';

export const fullMetadata = defineRule<'full-metadata'>({
  id: 'full-metadata',
  severity: 'note',
  title: 'a client asks for full metadata',
  why: 'Full metadata repeats the type of each property and the address of each entity. Few programs need this information.',
  advice: 'Ask for `nometadata`, or for `odata=minimalmetadata`, which names only the types that JSON cannot express.',
  pattern: null,
  source: payloadPage('JSON format (application/json)'),
  occasion: ({ all }) => all.length > 0,
  judge({ all }, { count }) {
    const tally = new Tally(count);
    for (const by of all) {
      if (!by.isFullMetadata || by.bytesOut === 0) continue;
      const { userAgent } = by.client;
      const cost = { bytes: Math.round(by.bytesOut / 2) };
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
