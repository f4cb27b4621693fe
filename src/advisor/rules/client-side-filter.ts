import { defineRule, Tally } from '../rule.ts';
import { hasQueries, scanEvidence } from '../scans.ts';
import { checklistPage } from '../sources.ts';
import { groupBy, queryName } from '../window.ts';

export const clientSideFilter = defineRule<'client-side-filter'>({
  id: 'client-side-filter',
  severity: 'warning',
  title: 'a client reads the whole table again and again',
  why: 'The client selects entities that the service could have selected, and pays for every entity that is sent.',
  advice: 'Send the condition as `$filter`, with bounds on the keys. Cache data that does not change.',
  pattern: null,
  source: checklistPage('Limiting the amount of data returned'),
  occasion: hasQueries,
  judge({ enumerations }, { enumerations: least, visited }) {
    const tally = new Tally(least);
    const whole = enumerations.filter(
      ({ first, last, ...scan }) =>
        first.traits.filter === undefined &&
        !last.traits.givesContinuation &&
        scan.visited > visited &&
        !first.traits.followsContinuation,
    );
    for (const list of groupBy(whole, ({ first }) => queryName(first)).values()) {
      const [example] = list;
      if (!example) continue;
      const sum = list.reduce((total, scan) => total + scan.visited, 0);
      const pages = list.reduce((total, scan) => total + scan.pages, 0);
      const cost = {
        visited: sum - example.visited,
        roundTrips: pages - example.pages,
        transactions: pages - example.pages,
      };
      const evidence = () => ({ ...scanEvidence(example), enumerations: list.length, visited: sum, pages });
      tally.add({ by: example.first.by, subject: queryName(example.first), times: list.length, cost, evidence });
    }
    return tally.candidates;
  },
});
