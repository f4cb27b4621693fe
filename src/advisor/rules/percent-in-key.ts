import { defineRule, Tally } from '../rule.ts';
import { quotedString, requestText } from '../show-request.ts';
import { teamBlog } from '../sources.ts';

const byPath = new Set([
  'GetEntity',
  'UpdateEntity',
  'MergeEntity',
  'InsertOrReplaceEntity',
  'InsertOrMergeEntity',
  'DeleteEntity',
]);

export const percentInKey = defineRule<'percent-in-key'>({
  id: 'percent-in-key',
  severity: 'note',
  title: 'a key with a percent sign is used in an address',
  why: 'The storage team says that the service decodes an address twice. If the key of an entity contains `%`, a read or an update by the address of the entity therefore does not find the entity. Inserts, queries and transactions work.',
  advice: 'Keep `%` out of keys. Encode special characters in another way, for example as hexadecimal digits.',
  pattern: null,
  source: teamBlog('PartitionKey or RowKey containing the percent character, 28 May 2012'),
  occasion: ({ all }) => all.some(({ operation }) => byPath.has(operation)),
  judge({ all }, { count }) {
    const tally = new Tally(count);
    for (const by of all) {
      const { operation, partitionKey = '', rowKey = '' } = by;
      if (!partitionKey.includes('%') && !rowKey.includes('%')) continue;
      if (!byPath.has(operation)) continue;
      const key = { partitionKey: quotedString(partitionKey), rowKey: quotedString(rowKey) };
      tally.add({ by, times: by.requests, evidence: () => ({ ...key, request: requestText(by) }) });
    }
    return tally.candidates;
  },
});
