// For each rule, describes the traffic that raises a finding. Only the pages in docs/advisor show these texts. The
// package does not contain this module, because no other module in src imports it.

import type { RuleId } from './thresholds.ts';

interface Conditions {
  /**
   * The traffic that raises a finding, with the names of the thresholds. On the page, this text follows the words
   * "Raised when".
   */
  readonly raised: string;
  /** Similar traffic that does not raise a finding. On the page, this text follows the words "Not raised by". */
  readonly notRaised: string;
}

export const ruleConditions: Readonly<Record<RuleId, Conditions>> = {
  'partition-target': {
    raised:
      'the load of one partition reaches `noteShare` of its target (the finding is a note) or `warningShare` of its target (the finding is a warning). The load is the number of entities that are visited or written within one second',
    notRaised: 'the same load spread over partitions',
  },
  'account-target': {
    raised:
      'the load of one account reaches `noteShare` of its target (the finding is a note) or `warningShare` of its target (the finding is a warning). The load is the number of entities that are visited or written within one second',
    notRaised: 'the same work spread over more time',
  },
  'hot-partition': {
    raised:
      'a table receives at least `operations` requests in at least `partitions` partitions, and more than `share` of these requests go to one partition (each request inside a transaction counts separately)',
    notRaised: 'requests that are spread over partitions, however many requests there are',
  },
  'hot-entity': {
    raised:
      'at least `conflicts` conditional writes to one entity are refused with 412, and these writes arrive on `writers` or more connections. Also raised when a table of several entities gets at least `writes` writes, and more than `share` of these writes go to one entity',
    notRaised: 'an occasional conflict, or a table of one entity',
  },
  'lone-partition': {
    raised:
      'more than `entities` entities were written to a table that has only one partition at the time of the report',
    notRaised: 'small reference tables',
  },
  'scattered-group': {
    raised:
      'at least `entities` entities are written to a table, each to a separate partition. One client must write at least `run` of these entities one after the other. The same client must also send at least `groups` transactions of several operations to other tables',
    notRaised: 'unrelated entities that are written one at a time',
  },
  'append-only-keys': {
    raised:
      'a table gets at least `partitions` new partitions, and at least `share` of the new PartitionKeys sort after all earlier PartitionKeys of the table',
    notRaised:
      'times in the RowKey (log tail pattern), PartitionKeys in any other order, or partitions that already existed',
  },
  'prepend-only-keys': {
    raised:
      'a table gets at least `partitions` new partitions, and at least `share` of the new PartitionKeys sort before all earlier PartitionKeys of the table',
    notRaised:
      'inverted ticks in the RowKey (log tail pattern), PartitionKeys in any other order, or partitions that already existed',
  },
  burst: {
    raised:
      'the load of one second (the number of entities visited or written) is at least `factor` times the average load of the previous `trailingSeconds` seconds. The load of this second must also exceed `targetShare` of the target of the account or of one partition',
    notRaised: 'a load that grows gradually, or any load in the first minute after the emulator starts',
  },
  'table-scan': {
    raised:
      'a query without `PartitionKey eq` visits more than `visited` entities and returns less than `wantedShare` of them',
    notRaised: 'reading all of a table, or a range of partitions, when the program needs every entity',
  },
  'row-key-only-filter': {
    raised:
      'a filter has conditions on RowKey but none on PartitionKey, and the query visits more than `visited` entities',
    notRaised: 'the same filter with PartitionKey, or small tables',
  },
  'partition-scan': {
    raised:
      'a query with `PartitionKey eq`, but without a condition that limits RowKey, visits more than `visited` entities and returns less than `wantedShare` of them',
    notRaised: 'reading all of a partition when the program needs every entity',
  },
  'or-of-keys': {
    raised: 'a filter contains an `or`, and every term of the `or` names a RowKey',
    notRaised: 'an `or` over other properties inside a range of keys',
  },
  'filter-without-point-read': {
    raised: 'a filter consists only of PartitionKey eq and RowKey eq',
    notRaised: 'Get Entity, or filters with further conditions',
  },
  'low-density': {
    raised: 'a query visits at least `visited` entities and returns less than `share` of them',
    notRaised: 'queries that return at least `share` of the entities that they visit',
  },
  'repeated-property-scan': {
    raised:
      'at least `scans` scans have a filter on the same property, and these scans visit at least `visited` entities in total',
    notRaised: 'a few scans, or queries of a range of keys',
  },
  'scan-to-modify': {
    raised:
      'a scan visits at least `visited` entities, and within `withinMs` the same client updates or deletes at least `entities` of the entities that the scan returned',
    notRaised: 'reports that only read entities, or writes to the results of a query by a range of keys',
  },
  'chained-reads': {
    raised:
      'a client sends a query, and within `withinMs` it fetches at least `reads` of the entities that the answer names, each with a separate request. An answer names an entity if the answer contains both keys of the entity, or its RowKey as the value of a property',
    notRaised:
      'fewer than `reads` such requests, keys that did not come from an answer, entities that have the same RowKey in another partition, entities that the client wrote after the query, or entities that the client reads and then writes with their ETag',
  },
  'client-side-filter': {
    raised:
      'one client reads a complete table of more than `visited` entities without a filter. This must happen at least `enumerations` times',
    notRaised: 'an export, which reads the table once',
  },
  'missing-projection': {
    raised:
      'reads without `$select` return entities that have more than `entityBytes` bytes or more than `properties` properties. This must happen at least `reads` times',
    notRaised: 'small entities, or reads with `$select`',
  },
  'single-writes': {
    raised:
      'one client writes at least `entities` distinct entities of one partition, and sends each write within `gapMs` of the answer to the previous write',
    notRaised: 'entities in separate partitions, parallel writes, or writes with pauses between them',
  },
  'small-batches': {
    raised:
      'one client sends at least `transactions` transactions to one partition, and these transactions have fewer than `operations` operations on average',
    notRaised: 'pairs of operations that must be atomic, each pair in a separate partition',
  },
  'group-across-tables': {
    raised:
      'one client writes entities with the same PartitionKey to several tables within `withinMs`, and does so for at least `partitions` PartitionKeys',
    notRaised: 'tables that share no PartitionKey, writes that are far apart, or loading one table after another',
  },
  'colliding-transactions': {
    raised:
      'a transaction arrives while another transaction is in progress on a different connection, and both transactions contain the same entity. This must happen at least `count` times',
    notRaised: 'simultaneous transactions on different entities, or transactions one after the other',
  },
  'malformed-batch': {
    raised:
      'at least `count` batches get 202 although they are malformed: the body does not contain the boundary from Content-Type, or the last delimiter is missing',
    notRaised:
      'a last delimiter without the two hyphens at its end, an empty changeset, or batches that the service refuses',
  },
  'read-before-write': {
    raised:
      'a client tries to read an entity, and within `withinMs` it writes the entity without sending the ETag of the entity. This must happen at least `count` times',
    notRaised: 'a write that sends the ETag that was read',
  },
  'read-after-write': {
    raised:
      'a client writes an entity, and reads the entity within `withinMs` of the answer to the write. This must happen at least `count` times',
    notRaised: 'a read that comes later, or a read by another client',
  },
  'replace-for-merge': {
    raised:
      'at least `count` replacements leave out properties that the entity had, or change few properties. A replacement changes few properties if it sends at least `properties` properties and changes at most `changedShare` of them',
    notRaised: 'replacements that change most properties',
  },
  'lost-update': {
    raised:
      'one writer reads an entity, a second writer changes the entity, and the first writer then writes the entity without a condition or with If-Match `*`. This must happen at least `count` times',
    notRaised: 'writes with the ETag (also after 412 and another read), or merges of different properties',
  },
  'immediate-retry': {
    raised:
      'a client gets 500 or 503, and repeats the request after less than `gapMs`. This must happen at least `count` times',
    notRaised: 'clients that pause before the first retry',
  },
  'no-backoff': {
    raised:
      'a client retries after 500 or 503, and makes more than `tries` attempts. Also raised for fewer attempts if there are at least `gaps` pauses between them, and the average of the later half of these pauses is less than `growth` times the average of the earlier half',
    notRaised: 'growing pauses with a random part',
  },
  'retry-of-final-error': {
    raised:
      'the service refuses the same request (with the same body and If-Match) at least `repeats` times within `withinMs`, each time with 400, 403, 404, 409, 412 or 413',
    notRaised: 'requests that are at least `pollMs` apart (polling), or attempts to create a table that exists',
  },
  'excess-parallelism': {
    raised:
      'one client sends requests on more than `requests` connections within one second, and these connections are open at the same time',
    notRaised: 'the same requests with bounded parallelism',
  },
  'connection-churn': {
    raised:
      'one client sends more than `requests` requests, and each of its connections carries on average fewer than `requestsPerConnection` requests',
    notRaised: 'connections that are reused',
  },
  'nagle-or-expect': {
    raised:
      'at least `count` requests are late. A request is late if its body has fewer than `naglesBytes` bytes and arrives `gapMsMin` to `gapMsMax` after the head, probably because of Nagle. The late requests of a client count only if they are at least `share` of all small requests of this client. Also raised when at least `count` requests have `Expect: 100-continue` and a body under `expectsBytes` bytes',
    notRaised: 'large bodies, or single slow requests',
  },
  'atom-format': { raised: 'a response is in AtomPub', notRaised: 'JSON of any kind' },
  'full-metadata': {
    raised: 'a response has `odata=fullmetadata`',
    notRaised: '`odata=minimalmetadata` or `odata=nometadata`',
  },
  'old-client': {
    raised:
      'a request has the user agent of a retired library or of the .NET Framework, or an `x-ms-version` before 2019',
    notRaised: 'current libraries',
  },
  'tiny-series-entities': {
    raised:
      'at least `queries` range queries of a table each return `entities` or more entities, and each of these entities has at most `properties` properties. In addition, the table must get no point reads',
    notRaised: 'larger entities, or entities that are also read one by one',
  },
  'log-in-table': {
    raised:
      'a table gets at least `inserts` inserts, at least `share` of its writes are inserts, the PartitionKey of every insert is a time, and a query of the table compares PartitionKey with a time',
    notRaised: 'times in the RowKey, or entities that are updated',
  },
  'high-volume-delete': {
    raised: 'one client queries a table and then deletes more than `deletes` entities of the table one by one',
    notRaised: 'deletions in transactions, or deletions by a client that did not query the table before',
  },
  'table-name-reused': {
    raised:
      'a client tries to create a table within `withinMs` of the deletion of a table with the same name. An attempt counts even if the emulator frees the name immediately and the attempt succeeds',
    notRaised: 'a new name, or a name that is used again after `withinMs`',
  },
  'unpadded-numbers': {
    raised:
      'at least `keys` different RowKeys are written to a table, every RowKey is a number, the numbers have different lengths, and at least `count` queries of the table ask for a range of RowKeys',
    notRaised: 'numbers that all have the same length, or queries that compare RowKey only with eq',
  },
  'percent-in-key': {
    raised: 'a request reads, updates or deletes an entity by its address, and a key of the entity contains `%`',
    notRaised: 'such keys in queries, or in the writes of a transaction',
  },
  'near-limit': {
    raised:
      'an entity has more than `properties` properties or more than `entityBytes` bytes, a value has more than `valueBytes` bytes, a key has more than `keyChars` characters, a transaction has more than `transactionBytes` bytes, or a filter has at least `comparisons` comparisons',
    notRaised: 'anything under these limits',
  },
  'ignored-continuation': {
    raised:
      'a client sends the same query at least `repeats` times, every response has a continuation, and the client follows none of these continuations within `withinMs`',
    notRaised: 'queries with `$top`, or clients that follow some continuations',
  },
  'create-table-each-call': {
    raised: 'more than `count` attempts to create a table fail with TableAlreadyExists',
    notRaised: 'one attempt at each start of the program',
  },
  'key-in-browser': {
    raised: 'a request with an Origin header is signed with Shared Key',
    notRaised: 'shared access signatures in a web page, or Shared Key without an Origin header',
  },
};
