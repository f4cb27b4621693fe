import type { Observation } from '../observation.ts';
import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { checklistPage } from '../sources.ts';

/** User agents of libraries that Microsoft has retired, and of runtimes older than .NET (Core). */
const retired = [
  /\bAzure-Storage\/[0-9]\./,
  /WindowsAzure\.Storage/i,
  /Azure-Cosmos-Table/i,
  /\bMicrosoft ADO\.NET Data Services\b/,
  /\.NET Framework|\.NET CLR|CLR v?[1-4]\./,
];
/** Only retired libraries send an `x-ms-version` that is older than this. */
const oldestCurrent = '2019';

export const oldClient = defineRule<'old-client'>({
  id: 'old-client',
  severity: 'warning',
  title: 'a client library or runtime is retired',
  why: 'Retired libraries get no fixes, and they use service versions that Microsoft may withdraw.',
  advice:
    'Move to the current library of your language: Azure.Data.Tables, @azure/data-tables, azure-data-tables or aztables.',
  pattern: null,
  source: checklistPage('Client libraries and tools'),
  occasion: ({ all }) => all.length > 0,
  judge({ all }, { count }) {
    const tally = new Tally(count);
    let last: Observation | undefined;
    let isOld = false;
    for (const by of all) {
      // Most requests have the client and the version of the request before, so the result of the check is kept.
      if (by.client !== last?.client || by.version !== last.version) isOld = isRetired(by);
      last = by;
      if (!isOld) continue;
      const { userAgent } = by.client;
      const { version } = by;
      const evidence = () => ({ userAgent, version, request: requestText(by) });
      tally.add({ by, table: null, subject: userAgent, times: by.requests, evidence });
    }
    return tally.candidates;
  },
});

const isRetired = ({ client, version }: Observation): boolean =>
  (version !== '' && version < oldestCurrent) || retired.some((pattern) => pattern.test(client.userAgent));
