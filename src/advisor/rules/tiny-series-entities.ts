import { defineRule, Tally } from '../rule.ts';
import { hasQueries } from '../scans.ts';
import { requestText } from '../show-request.ts';
import { patternsPage } from '../sources.ts';
import { groupBy } from '../window.ts';

export const tinySeriesEntities = defineRule<'tiny-series-entities'>({
  id: 'tiny-series-entities',
  severity: 'note',
  title: 'tiny entities are always read as a series',
  why: 'Each entity of a series costs a unit of capacity, and takes space for its keys and its Timestamp, although its values have only a few bytes.',
  advice: 'Store the series in one entity, with a property for each value, for example 24 hours as 24 properties.',
  pattern: 'Data series pattern',
  source: patternsPage('Data series pattern'),
  occasion: hasQueries,
  judge({ queries, gets }, thresholds) {
    const tally = new Tally(thresholds.queries);
    const readSingly = new Set(gets.map(({ table }) => table));
    const others = new Set<unknown>();
    const series = queries.filter(({ table, traits }) => {
      const isRange = traits.plan.kind !== 'table scan' && traits.plan.kind !== 'point' && !traits.plan.residual;
      const isSeries = isRange && traits.returned >= thresholds.entities;
      if (!isSeries && traits.returned > 0) others.add(table);
      return isSeries && traits.select === undefined;
    });
    for (const [table, list] of groupBy(series, (query) => query.table)) {
      if (readSingly.has(table) || others.has(table)) continue;
      for (const { by, traits } of list) {
        const tiny = traits.sample.every(({ properties }) => countProperties(properties) <= thresholds.properties);
        if (!tiny || traits.sample.length === 0) continue;
        const cost = { visited: traits.visited - 1 };
        tally.add({ by, cost, evidence: () => ({ entities: traits.returned, request: requestText(by) }) });
      }
    }
    return tally.candidates;
  },
});

/** Counts the properties in the JSON text of an entity. Type annotations do not count. */
const countProperties = (text: string): number =>
  (text.match(/":/g) ?? []).length - (text.match(/@odata\.type":/g) ?? []).length;
