import { filteredProperties } from '../filters.ts';
import { defineRule, Tally } from '../rule.ts';
import { hasQueries, scanEvidence } from '../scans.ts';
import { patternsPage } from '../sources.ts';
import { addToGroup, type Enumeration, groupBy } from '../window.ts';

export const repeatedPropertyScan = defineRule<'repeated-property-scan'>({
  id: 'repeated-property-scan',
  severity: 'warning',
  title: 'scans search the same property again and again',
  why: 'Only the keys are indexed, so each lookup by another property is a scan.',
  advice:
    'Store a copy of each entity, or a pointer to the entity, under a key made from the searched property. The copy or pointer can be in the same partition or in another partition.',
  pattern: 'Intra-partition secondary index pattern',
  source: patternsPage('Intra-partition secondary index pattern; Inter-partition secondary index pattern'),
  occasion: hasQueries,
  judge({ enumerations }, thresholds) {
    const tally = new Tally(thresholds.scans);
    const scans = enumerations.filter(({ first }) => first.traits.plan.kind.endsWith('scan'));
    for (const list of groupBy(scans, ({ first }) => first.table).values()) {
      const byProperty = new Map<string, Enumeration[]>();
      for (const scan of list) {
        for (const name of filteredProperties(scan.first.traits.plan)) addToGroup(byProperty, name, scan);
      }
      for (const [property, found] of byProperty) {
        const visited = found.reduce((sum, scan) => sum + scan.visited, 0);
        const returned = found.reduce((sum, scan) => sum + scan.returned, 0);
        const [example] = found;
        if (!example || visited < thresholds.visited || returned >= visited) continue;
        const evidence = () => ({ ...scanEvidence(example), property, scans: found.length, visited, returned });
        const { by } = example.first;
        tally.add({ by, subject: property, times: found.length, cost: { visited: visited - returned }, evidence });
      }
    }
    return tally.candidates;
  },
});
