import { defineRule, Tally } from '../rule.ts';
import { hasReads } from '../scans.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

/** The estimate of the saving assumes that a client needs this number of properties of a large entity. */
const neededProperties = 5;

export const missingProjection = defineRule<'missing-projection'>({
  id: 'missing-projection',
  severity: 'warning',
  title: 'large entities are read with all their properties',
  why: 'Without `$select` the service sends every property, even if the program does not need it. Unneeded properties cost time, bandwidth and memory at both ends.',
  advice: 'List the properties that the program needs in `$select`.',
  pattern: null,
  source: checklistPage('Limiting the amount of data returned'),
  occasion: hasReads,
  judge({ gets, queries }, { reads, entityBytes, properties }) {
    const tally = new Tally(reads);
    for (const by of [...gets, ...queries.map((query) => query.by)]) {
      const { read, bytesOut, requests } = by;
      if (!read || read.isProjected) continue;
      if (read.entityBytes <= entityBytes && read.properties <= properties) continue;
      const kept = read.properties > neededProperties ? neededProperties / read.properties : 1;
      const bytes = Math.round(bytesOut * requests * (1 - kept));
      const figures = { entityBytes: read.entityBytes, properties: read.properties };
      tally.add({ by, times: requests, cost: { bytes }, evidence: () => ({ ...figures, request: requestText(by) }) });
    }
    return tally.candidates;
  },
});
