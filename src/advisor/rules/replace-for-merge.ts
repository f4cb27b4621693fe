import { defineRule, Tally } from '../rule.ts';
import { writeText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';

export const replaceForMerge = defineRule<'replace-for-merge'>({
  id: 'replace-for-merge',
  severity: 'warning',
  title: 'entities are replaced to change few properties',
  why: 'A replacement must send every property, because the service removes the properties that are not sent. Properties that another version of the program wrote are lost.',
  advice: 'Use Merge Entity or Insert Or Merge Entity, and send only the properties that change.',
  pattern: null,
  source: patternsPage('Merge or replace'),
  occasion: ({ written }) => written.some(({ traits }) => traits?.change !== undefined),
  judge({ written }, { count, changedShare, properties: least }) {
    const tally = new Tally(count);
    for (const write of written) {
      const { by, traits } = write;
      if (!traits?.change) continue;
      const { properties, changed, dropped } = traits.change;
      const isSlight = properties >= least && changed <= properties * changedShare;
      if (!isSlight && dropped === 0) continue;
      const bytes = isSlight ? Math.round(by.bytesIn * (1 - changed / properties)) : 0;
      tally.add({ by, cost: { bytes }, evidence: () => ({ properties, changed, dropped, request: writeText(write) }) });
    }
    return tally.candidates;
  },
});
