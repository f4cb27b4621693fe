// When each rule is raised, in words. Only docs/advisor shows these texts, so no other module imports this one, and it
// stays out of the package.

import type { RuleId } from './thresholds.ts';

interface Conditions {
  /** What raises a finding, with the names of the thresholds. */
  readonly raised: string;
  /** Traffic that looks similar and does not raise one. */
  readonly notRaised: string;
}

export const ruleConditions: Readonly<Record<RuleId, Conditions>> = {
  'partition-target': {
    raised:
      'the entities visited or written in one partition in one second reach `noteShare` of its target (a note) or `warningShare` (a warning)',
    notRaised: 'the same load spread over partitions',
  },
  'account-target': {
    raised:
      'the entities visited or written in an account in one second reach `noteShare` of its target (a note) or `warningShare` (a warning)',
    notRaised: 'the same work at a slower pace',
  },
  'hot-partition': {
    raised:
      'one partition gets over `share` of at least `operations` requests, including those inside transactions, to at least `partitions` partitions of a table',
    notRaised: 'requests that are spread over partitions, however many there are',
  },
  'hot-entity': {
    raised:
      'at least `conflicts` conditional writes to one entity by `writers` or more clients or connections get 412, or one entity takes `share` of at least `writes` writes to a table with others',
    notRaised: 'an occasional conflict, and a table of one entity',
  },
  'lone-partition': {
    raised: 'over `entities` entities were written to the only partition that a table has at the time of the report',
    notRaised: 'small reference tables',
  },
  'scattered-group': {
    raised:
      'a client that sends at least `groups` transactions elsewhere writes `run` or more entities in a row to a table of at least `entities` entities, each in a separate partition',
    notRaised: 'unrelated entities that are written one at a time',
  },
  'append-only-keys': {
    raised: 'at least `share` of at least `partitions` new, distinct PartitionKeys sort after all earlier ones',
    notRaised: 'time in the RowKey (log tail pattern), keys in any other order, and partitions that existed before',
  },
  'prepend-only-keys': {
    raised: 'at least `share` of at least `partitions` new, distinct PartitionKeys sort before all earlier ones',
    notRaised:
      'inverted ticks in the RowKey (log tail pattern), keys in any other order, and partitions that existed before',
  },
  burst: {
    raised:
      'one second has `factor` times as many entities as the `trailingSeconds` before it had on average, and over `targetShare` of the target of the account or of one partition',
    notRaised: 'a load that grows gradually, and the first minute of an emulator',
  },
  'table-scan': {
    raised:
      'a query that pins no PartitionKey visits over `visited` entities and returns less than `wantedShare` of them',
    notRaised: 'reading whole tables, or ranges of partitions, when every row is wanted',
  },
  'row-key-only-filter': {
    raised: 'a filter bounds RowKey and does not mention PartitionKey, and over `visited` entities are visited',
    notRaised: 'the same filter with PartitionKey, and small tables',
  },
  'partition-scan': {
    raised:
      'a query that pins PartitionKey but does not bound RowKey visits over `visited` entities and returns less than `wantedShare` of them',
    notRaised: 'reading a whole partition when every row is wanted',
  },
  'or-of-keys': {
    raised: 'a filter has an `or` in which every term names a RowKey',
    notRaised: 'an `or` over other properties inside a range of keys',
  },
  'filter-without-point-read': {
    raised: 'a filter consists only of PartitionKey eq and RowKey eq',
    notRaised: 'Get Entity, and filters with further conditions',
  },
  'low-density': {
    raised: 'a query visits at least `visited` entities and returns less than `share` of them',
    notRaised: 'queries that return a fair share of the entities that they visit',
  },
  'repeated-property-scan': {
    raised: 'at least `scans` scans filter on the same property and visit at least `visited` entities in all',
    notRaised: 'a few scans, and conditions on a range of keys',
  },
  'scan-to-modify': {
    raised:
      'a scan visits at least `visited` entities, and within `withinMs` the same client updates or deletes `entities` or more of those it returned',
    notRaised: 'entities found by a range of keys, and reports that only read',
  },
  'chained-reads': {
    raised:
      'within `withinMs` of a query, the same client reads `reads` or more entities, each with its own request, that entities of the answer name (both keys, or the RowKey as a property)',
    notRaised:
      'a few such reads; reads of keys that did not come from an answer, of equal RowKeys in another partition, of entities that the client wrote since, and for an ETag that is then sent back',
  },
  'client-side-filter': {
    raised: 'one client reads a table of over `visited` entities completely, without a filter, `enumerations` times',
    notRaised: 'an export, which reads the table once',
  },
  'missing-projection': {
    raised: '`reads` reads without `$select` return entities of over `entityBytes` bytes or `properties` properties',
    notRaised: 'small entities, and reads with `$select`',
  },
  'single-writes': {
    raised:
      'one client writes at least `entities` distinct entities of one partition, each sent within `gapMs` after the answer to the one before',
    notRaised: 'entities in separate partitions, parallel writes, and writes with pauses between them',
  },
  'small-batches': {
    raised:
      'one client sends at least `transactions` transactions to one partition, and they have under `operations` operations on average',
    notRaised: 'pairs of operations that must be atomic, if every pair has a separate partition',
  },
  'group-across-tables': {
    raised:
      'one client writes the same PartitionKey to several tables within `withinMs`, for at least `partitions` PartitionKeys',
    notRaised: 'tables that share no PartitionKey, writes that are far apart, and loading one table after another',
  },
  'colliding-transactions': {
    raised:
      '`count` times a transaction is sent while another one, on another connection, that writes the same entity is in progress',
    notRaised: 'simultaneous transactions on different entities, and transactions one after the other',
  },
  'malformed-batch': {
    raised:
      'at least `count` batches whose boundary is not in their body, or whose last delimiter is missing, are answered with 202',
    notRaised: 'a last delimiter without its hyphens, an empty changeset, and batches that are refused',
  },
  'read-before-write': {
    raised:
      'at least `count` times a client writes an entity, without its ETag, within `withinMs` after it tried to read it',
    notRaised: 'a write that sends the ETag that was read',
  },
  'read-after-write': {
    raised: 'at least `count` times a client reads an entity within `withinMs` after the answer to its own write of it',
    notRaised: 'reads by other clients, and later reads',
  },
  'replace-for-merge': {
    raised:
      'at least `count` replacements either change at most `changedShare` of an entity with `properties` or more properties, or leave out properties that the entity had',
    notRaised: 'replacements that change most properties',
  },
  'lost-update': {
    raised:
      'a writer reads an entity, another one writes it, and the first then writes it unconditionally or with If-Match `*`, `count` times',
    notRaised: 'writes with the ETag, also after 412 and another read; merges of different properties',
  },
  'immediate-retry': {
    raised: 'after 500 or 503 the same client sends the same request again less than `gapMs` later, `count` times',
    notRaised: 'a first retry after a pause',
  },
  'no-backoff': {
    raised:
      'after 500 or 503 at least `gaps` pauses between the attempts do not grow by `growth` on average, or there are more than `tries` attempts',
    notRaised: 'growing pauses with a random part',
  },
  'retry-of-final-error': {
    raised:
      'the same request, with the same body and If-Match, is refused with 400, 403, 404, 409, 412 or 413 at least `repeats` times within `withinMs`',
    notRaised: 'polling at least `pollMs` apart, and creating a table that exists',
  },
  'excess-parallelism': {
    raised: 'one client uses over `requests` simultaneously open connections within a second',
    notRaised: 'the same requests with bounded parallelism',
  },
  'connection-churn': {
    raised: 'one client sends over `requests` requests, less than `requestsPerConnection` per connection on average',
    notRaised: 'connections that are reused',
  },
  'nagle-or-expect': {
    raised:
      'at least `count` requests have a body under `naglesBytes` that arrives `gapMsMin` to `gapMsMax` after the head (likely Nagle, if this is `share` of the requests of the client), or `Expect: 100-continue` and a body under `expectsBytes`',
    notRaised: 'large bodies, and single slow requests',
  },
  'atom-format': { raised: 'a response in AtomPub', notRaised: 'JSON of any kind' },
  'full-metadata': { raised: 'a response with `odata=fullmetadata`', notRaised: 'minimal and no metadata' },
  'old-client': {
    raised: 'a user agent of a retired library or of the .NET Framework, or an `x-ms-version` before 2019',
    notRaised: 'current libraries',
  },
  'tiny-series-entities': {
    raised:
      'at least `queries` queries of a range, and no point reads, each return `entities` or more entities of at most `properties` properties',
    notRaised: 'entities that are also read one by one, and larger ones',
  },
  'log-in-table': {
    raised:
      'PartitionKeys are times, `share` of at least `inserts` writes are inserts, and the table is queried by time',
    notRaised: 'time in the RowKey, and entities that are updated',
  },
  'high-volume-delete': {
    raised: 'one client queries a table and then deletes over `deletes` of its entities one by one',
    notRaised: 'deletions in transactions, and deletions by keys that the client knows',
  },
  'table-name-reused': {
    raised:
      'a client creates, or tries to create, a table within `withinMs` of its deletion, even if the emulator is set to have no such delay',
    notRaised: 'a new name, and a name that is used again later',
  },
  'unpadded-numbers': {
    raised:
      'all RowKeys written to a table (at least `keys`) are numbers of different lengths, and `count` queries have a range of RowKey',
    notRaised: 'numbers of one length, and tables whose RowKey is only compared with eq',
  },
  'percent-in-key': {
    raised: 'an entity whose key has a `%` is read, updated or deleted by its address',
    notRaised: 'keys that are only queried, or written in transactions',
  },
  'near-limit': {
    raised:
      'an entity of over `properties` properties or `entityBytes` bytes, a value over `valueBytes`, a key over `keyChars`, a transaction over `transactionBytes`, or a filter of at least `comparisons` comparisons',
    notRaised: 'anything under these limits',
  },
  'ignored-continuation': {
    raised:
      'at least `repeats` times a client gets a continuation of the same query and never follows it, within `withinMs` or later',
    notRaised: 'queries with `$top`, and clients that follow some of them',
  },
  'create-table-each-call': {
    raised: 'over `count` attempts to create a table fail with TableAlreadyExists',
    notRaised: 'one attempt at each start of the program',
  },
  'key-in-browser': {
    raised: 'a request with an Origin header is signed with Shared Key',
    notRaised: 'shared access signatures in a page, and Shared Key without Origin',
  },
};
