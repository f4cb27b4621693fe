// For each rule, examples of requests that break the rule, and examples of requests that keep the rule. Only the pages
// in docs/advisor show these texts. The package does not contain this module, because no other module in src imports
// it.

import type { RuleId } from './thresholds.ts';

interface Examples {
  /** Abbreviated requests. */
  readonly bad: readonly string[];
  readonly good: readonly string[];
}

export const ruleExamples: Readonly<Record<RuleId, Examples>> = {
  'partition-target': {
    bad: ["GET /Orders()?$filter=PartitionKey eq 'all' and Total gt 100   # once a second, visits 3,000 entities"],
    good: ["GET /Orders()?$filter=PartitionKey eq 'customer-17' and RowKey ge '2024-06'   # visits 40 entities"],
  },
  'account-target': {
    bad: ['GET /Orders()?$filter=State eq 4   # from many workers at the same time, each visits 10,000 entities'],
    good: ["GET /Orders()?$filter=PartitionKey eq 'open' and RowKey lt '2024-06'"],
  },
  'hot-partition': {
    bad: ["POST /Events   PartitionKey='today'   # nearly every write"],
    good: ["POST /Events   PartitionKey='today-07'   # a hash of the RowKey chooses one of sixteen suffixes"],
  },
  'hot-entity': {
    bad: ["MERGE /Counters(PartitionKey='site',RowKey='visits') If-Match: an ETag   # 412, again and again"],
    good: ["MERGE /Counters(PartitionKey='site',RowKey='visits-worker-3') If-Match: an ETag"],
  },
  'lone-partition': {
    bad: ["POST /Orders   PartitionKey='Order' RowKey='{guid}'   # for each of 50,000 orders"],
    good: ["POST /Orders   PartitionKey='customer-17' RowKey='2024-06-01-0004'"],
  },
  'scattered-group': {
    bad: ["POST /Lines   PartitionKey='{guid}'   # fifty in a row"],
    good: ["POST /$batch   of 50 lines, PartitionKey='order-4711'"],
  },
  'append-only-keys': {
    bad: ["POST /Events   PartitionKey='2024-06-01T10:00:01.5Z'   # then :02.1, :02.9 …"],
    good: ["POST /Events   PartitionKey='sensor-17' RowKey='2519870399999999999'   # ticks until a distant date"],
  },
  'prepend-only-keys': {
    bad: ["POST /Events   PartitionKey='2519870399999999999'   # then …998, …997"],
    good: ["POST /Events   PartitionKey='sensor-17' RowKey='2519870399999999999'"],
  },
  burst: {
    bad: ['# 200 instances have a timer that fires on the hour, and each instance sends 100 requests'],
    good: ['# each of these timers has a random delay of up to a minute'],
  },
  'table-scan': {
    bad: ["GET /People()?$filter=Email eq 'ada@example.com'   # visits 40,000 entities, returns 1"],
    good: ["GET /PeopleByEmail(PartitionKey='ada@example.com',RowKey='')"],
  },
  'row-key-only-filter': {
    bad: ["GET /Orders()?$filter=RowKey eq '4711'   # every partition is searched"],
    good: ["GET /Orders(PartitionKey='customer-17',RowKey='4711')"],
  },
  'partition-scan': {
    bad: ["GET /People()?$filter=PartitionKey eq 'sales' and Email eq 'ada@example.com'"],
    good: ["GET /People()?$filter=PartitionKey eq 'sales' and RowKey eq 'email:ada@example.com'"],
  },
  'or-of-keys': {
    bad: ["GET /People()?$filter=PartitionKey eq 'sales' and (RowKey eq '121' or RowKey eq '322')"],
    good: [
      "GET /People(PartitionKey='sales',RowKey='121')",
      "GET /People(PartitionKey='sales',RowKey='322')   # at the same time",
    ],
  },
  'filter-without-point-read': {
    bad: ["GET /People()?$filter=PartitionKey eq 'sales' and RowKey eq '121'"],
    good: ["GET /People(PartitionKey='sales',RowKey='121')"],
  },
  'low-density': {
    bad: ["GET /Orders()?$filter=PartitionKey eq 'open' and Priority eq 9   # visits 5,000, returns 3"],
    good: ["GET /Orders()?$filter=PartitionKey eq 'open' and RowKey ge '9_' and RowKey lt '9`'"],
  },
  'repeated-property-scan': {
    bad: ["GET /People()?$filter=PartitionKey eq 'sales' and Email eq '…'   # fifty times, with fifty addresses"],
    good: ["GET /People(PartitionKey='sales',RowKey='email:ada@example.com')"],
  },
  'scan-to-modify': {
    bad: [
      "GET /Jobs()?$filter=State eq 'due'",
      "MERGE /Jobs(PartitionKey='job',RowKey='17')   # and for every other job",
    ],
    good: ["GET /Jobs()?$filter=PartitionKey eq 'due' and RowKey lt '2024-06-01T10:00'"],
  },
  'chained-reads': {
    bad: [
      "GET /Orders()?$filter=PartitionKey eq 'customer-17'",
      "GET /Products(PartitionKey='p',RowKey='4711')   # for each order",
    ],
    good: ["GET /Orders()?$filter=PartitionKey eq 'customer-17'   # each order contains the product's name"],
  },
  'client-side-filter': {
    bad: ['GET /People()   # all pages, for each user request'],
    good: ["GET /People()?$filter=PartitionKey eq 'sales' and RowKey ge 'a' and RowKey lt 'b'"],
  },
  'missing-projection': {
    bad: ["GET /People()?$filter=PartitionKey eq 'sales'   # 60 properties per entity, to list names"],
    good: ["GET /People()?$filter=PartitionKey eq 'sales'&$select=RowKey,Name"],
  },
  'single-writes': {
    bad: ["POST /Lines   PartitionKey='order-4711' RowKey='001'   # then 002, 003 … 050"],
    good: ["POST /$batch   of 50 lines, PartitionKey='order-4711'"],
  },
  'small-batches': {
    bad: ["POST /$batch   of 2 entities, PartitionKey='import'   # two hundred times"],
    good: ["POST /$batch   of 100 entities, PartitionKey='import'   # four times"],
  },
  'group-across-tables': {
    bad: ["POST /Orders   PartitionKey='order-4711'", "POST /OrderLines   PartitionKey='order-4711'"],
    good: ["POST /$batch   PartitionKey='order-4711', RowKey='order', 'line-1', 'line-2'"],
  },
  'colliding-transactions': {
    bad: ["POST /$batch   'line-1', 'total'", "POST /$batch   'line-2', 'total'   # at the same time"],
    good: ["POST /$batch   'line-1'", "POST /$batch   'line-2'   # readers compute the total"],
  },
  'malformed-batch': {
    bad: ['Content-Type: multipart/mixed; boundary=batch_1', '--batch_2   # in the body: 202, and nothing is written'],
    good: ['Content-Type: multipart/mixed; boundary=batch_1', '--batch_1', '--batch_1--   # at the end'],
  },
  'read-before-write': {
    bad: ["GET /Pets(PartitionKey='dog',RowKey='rex')   # 404", "POST /Pets   PartitionKey='dog' RowKey='rex'"],
    good: ["MERGE /Pets(PartitionKey='dog',RowKey='rex')   # Insert Or Merge"],
  },
  'read-after-write': {
    bad: [
      "PUT /Pets(PartitionKey='dog',RowKey='rex')   # 204, with an ETag",
      "GET /Pets(PartitionKey='dog',RowKey='rex')",
    ],
    good: ["PUT /Pets(PartitionKey='dog',RowKey='rex')   # 204: the client keeps the new ETag"],
  },
  'replace-for-merge': {
    bad: ["PUT /People(PartitionKey='sales',RowKey='121')   # sends 30 properties, but only Phone changed"],
    good: ['MERGE /People(PartitionKey=\'sales\',RowKey=\'121\')   # {"Phone": "…"}'],
  },
  'lost-update': {
    bad: [
      "GET /Stock(PartitionKey='a',RowKey='1')   # two clients read 5",
      "PUT /Stock(PartitionKey='a',RowKey='1') If-Match: *   # both write 4: one sale is lost",
    ],
    good: ["PUT /Stock(PartitionKey='a',RowKey='1') If-Match: an ETag   # the second client gets 412"],
  },
  'immediate-retry': {
    bad: ['503 Server Busy   # the same request 5 ms later'],
    good: ['503 Server Busy   # the same request 800 ms later'],
  },
  'no-backoff': { bad: ['503, 1 s, 503, 1 s, 503, 1 s, 503'], good: ['503, 0.9 s, 503, 2.1 s, 503, 3.7 s, 200'] },
  'retry-of-final-error': {
    bad: ["PUT /Pets(PartitionKey='dog',RowKey='rex') If-Match: an ETag   # 412, three times in a row"],
    good: ['PUT … # 412', "GET /Pets(PartitionKey='dog',RowKey='rex')", 'PUT … # with the new ETag'],
  },
  'excess-parallelism': {
    bad: ['await Promise.all(people.map((person) => client.upsertEntity(person)))   // 5,000 people'],
    good: ['// twenty workers, each of which takes the next person'],
  },
  'connection-churn': {
    bad: ['const client = TableClient.fromConnectionString(text, "Pets");   // in each function call'],
    good: ['// once, for the whole process'],
  },
  'nagle-or-expect': {
    bad: ['POST /Pets   Expect: 100-continue, Content-Length: 120'],
    good: ['POST /Pets   Content-Length: 120'],
  },
  'atom-format': { bad: ['Accept: application/atom+xml'], good: ['Accept: application/json;odata=nometadata'] },
  'full-metadata': {
    bad: ['Accept: application/json;odata=fullmetadata'],
    good: ['Accept: application/json;odata=minimalmetadata'],
  },
  'old-client': {
    bad: ['User-Agent: Azure-Storage/9.3.3 (.NET CLR 4.0.30319.42000; Win32NT 10.0)   # x-ms-version: 2017-07-29'],
    good: ['User-Agent: azsdk-net-Data.Tables/12.9.1 (.NET 8.0.4)   # x-ms-version: 2019-02-02'],
  },
  'tiny-series-entities': {
    bad: ["GET /Load()?$filter=PartitionKey eq 'server-1' and RowKey ge '2024-06-01'   # 24 entities, one number each"],
    good: ["GET /Load(PartitionKey='server-1',RowKey='2024-06-01')   # one entity with 24 numbers"],
  },
  'log-in-table': {
    bad: [
      "POST /Log   PartitionKey='2024-06-01T10' RowKey='{guid}'",
      "GET /Log()?$filter=PartitionKey ge '2024-06-01T10'",
    ],
    good: ['# an append blob log/2024/06/01/10.json'],
  },
  'high-volume-delete': {
    bad: [
      "GET /Sessions()?$filter=Timestamp lt datetime'2024-06-01T00:00:00Z'",
      'DELETE /Sessions(…)   # for each of 5,000',
    ],
    good: ["DELETE /Tables('Sessions202405')"],
  },
  'table-name-reused': {
    bad: ["DELETE /Tables('Cache')", 'POST /Tables   Cache'],
    good: ["DELETE /Tables('Cache17')", 'POST /Tables   Cache18'],
  },
  'unpadded-numbers': {
    bad: ["GET /People()?$filter=PartitionKey eq 'sales' and RowKey ge '9' and RowKey lt '20'"],
    good: ["GET /People()?$filter=PartitionKey eq 'sales' and RowKey ge '00000009' and RowKey lt '00000020'"],
  },
  'percent-in-key': {
    bad: ["GET /Files(PartitionKey='a%2Fb',RowKey='1')"],
    good: ["GET /Files(PartitionKey='a_2Fb',RowKey='1')"],
  },
  'near-limit': {
    bad: ["PUT /Forms(PartitionKey='f',RowKey='1')   # 240 properties"],
    good: ["PUT /Forms(PartitionKey='f',RowKey='1-a')", "PUT /Forms(PartitionKey='f',RowKey='1-b')   # 120 each"],
  },
  'ignored-continuation': {
    bad: ['GET /People()   # 1,000 entities and a continuation', 'GET /People()   # the same again'],
    good: ['GET /People()', 'GET /People()?NextPartitionKey=…&NextRowKey=…'],
  },
  'create-table-each-call': {
    bad: ['await table.createTable();   // in each request: 409 TableAlreadyExists'],
    good: ['// once, at the start'],
  },
  'key-in-browser': {
    bad: ['Origin: https://shop.example', 'Authorization: SharedKey …'],
    good: ['GET /People()?sv=…&tn=People&sp=r&sig=…'],
  },
};
