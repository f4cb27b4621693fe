// Programs that handle failures of the service well or badly. The argument names the program to run. Each program
// checks its own result at the end. It exits with 0 if the result is right, and with another code if the result is
// wrong or the program fails.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AzureSASCredential, RestError, TableClient, TableTransaction } from '@azure/data-tables';

const connectionString = process.env.AZURE_STORAGE_CONNECTION_STRING ?? '';
const connect = (options = {}) =>
  TableClient.fromConnectionString(connectionString, 'Samples', { allowInsecureConnection: true, ...options });

/** The SDK retries three times by itself. */
const patient = connect();
const single = connect({ retryOptions: { maxRetries: 0 } });

const one = { partitionKey: 'p', rowKey: '1', amount: 5 };
const rows = Array.from({ length: 5 }, (_, at) => ({ partitionKey: 'p', rowKey: String(at + 1), amount: at }));

const statusOf = (error) => (error instanceof RestError ? error.statusCode : undefined);
const codeOf = (error) => error?.details?.odataError?.code ?? error?.code;

function check(holds, what) {
  if (!holds) throw new Error(`it does not hold that ${what}`);
}

async function count() {
  let entities = 0;
  for await (const _ of patient.listEntities()) entities++;
  return entities;
}

async function fill() {
  for (const row of rows) await patient.upsertEntity(row);
}

/** Calls again after a failure. The wait doubles each time. */
async function retry(work, { times = 5, waitMs = 300 } = {}) {
  for (let tries = 1; ; tries++) {
    try {
      return await work(tries);
    } catch (error) {
      if (tries === times) throw error;
      await sleep(waitMs * 2 ** (tries - 1));
    }
  }
}

/** An insert that may have succeeded in an earlier attempt: if the same entity exists, that counts as success. */
async function insertOnce(client, entity, options = {}) {
  try {
    await client.createEntity(entity, options);
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
    const found = await client.getEntity(entity.partitionKey, entity.rowKey);
    if (found.amount !== entity.amount) throw error;
  }
}

/** A signature that allows everything on the table until it expires. */
function sign(expires) {
  const parts = new Map(connectionString.split(';').map((part) => part.split(/=(.*)/s)));
  const account = parts.get('AccountName');
  const until = expires.toISOString().replace(/\.\d+/, '');
  const text = ['raud', '', until, `/table/${account}/samples`, '', '', '', '2019-02-02', '', '', '', ''].join('\n');
  const signature = createHmac('sha256', Buffer.from(parts.get('AccountKey'), 'base64'))
    .update(text)
    .digest('base64');
  const query = new URLSearchParams({ sv: '2019-02-02', tn: 'samples', sp: 'raud', se: until, sig: signature });
  return { url: parts.get('TableEndpoint'), signature: query.toString() };
}

function connectSigned() {
  const { url, signature } = sign(new Date(Date.now() + 3_600_000));
  return new TableClient(url, 'Samples', new AzureSASCredential(signature), { allowInsecureConnection: true });
}

async function addToCounter(client, { isGuarded }) {
  const id = crypto.randomUUID();
  await retry(async () => {
    const found = await client.getEntity('p', 'counter');
    if (isGuarded && found.lastId === id) return;
    const changed = { partitionKey: 'p', rowKey: 'counter', total: found.total + 1, lastId: id };
    await client.updateEntity(changed, 'Replace', isGuarded ? { etag: found.etag } : {});
  });
}

async function counterAddedBy(client, options) {
  await patient.upsertEntity({ partitionKey: 'p', rowKey: 'counter', total: 0, lastId: '' });
  await addToCounter(client, options);
  const { total } = await patient.getEntity('p', 'counter');
  check(total === 1, `1 was added once, not ${total} times`);
}

const transaction = (add) => {
  const actions = new TableTransaction();
  for (const row of rows) add(actions, row);
  return actions.actions;
};

/** Reads pages until `isLast` returns true. */
async function readPages(isLast) {
  const found = [];
  for await (const page of patient.listEntities().byPage({ maxPageSize: 2 })) {
    found.push(...page);
    if (isLast(page)) break;
  }
  check(found.length === rows.length, `${rows.length} entities are found, not ${found.length}`);
}

const withTimeout = (ms) => ({ abortSignal: AbortSignal.timeout(ms) });

/**
 * Handles every failure: sets a timeout for each request, retries each failed request, and works whether or not the
 * service carried out the previous attempt.
 */
async function handleEverything() {
  const timed = () => withTimeout(5_000);
  await retry(() => insertOnce(single, one, timed()));
  await retry(() =>
    single.submitTransaction(
      transaction((actions, row) => actions.upsertEntity(row, 'Replace')),
      timed(),
    ),
  );
  await retry(() => single.updateEntity({ ...one, amount: 6 }, 'Merge', timed()));
  const found = new Map();
  await retry(async () => {
    const after = [...found.keys()].at(-1) ?? '';
    const queryOptions = { filter: `PartitionKey eq 'p' and RowKey gt '${after}'` };
    for await (const page of single.listEntities({ queryOptions, ...timed() }).byPage({ maxPageSize: 2 })) {
      for (const entity of page) found.set(entity.rowKey, entity);
    }
  });
  check(found.size === rows.length, `${rows.length} entities are found, not ${found.size}`);
  await retry(() => connectSigned().getEntity('p', '1', timed()));
  await retry(() =>
    single.deleteEntity('p', '1', timed()).catch((error) => {
      if (statusOf(error) !== 404) throw error;
    }),
  );
}

const programs = {
  everything: handleEverything,
  async 'busy/sdk'() {
    await insertOnce(patient, one);
  },
  async 'busy/backs-off'() {
    await retry(() => insertOnce(single, one));
  },
  async 'busy/no-retry'() {
    await single.upsertEntity(one);
  },
  async 'busy/immediate-retry'() {
    await retry(() => single.upsertEntity(one), { times: 4, waitMs: 0 });
  },
  async 'server-error/tries-again'() {
    await retry(() => single.upsertEntity(one));
  },
  async 'server-error/only-after-503'() {
    try {
      await single.upsertEntity(one);
    } catch (error) {
      if (statusOf(error) !== 503) throw error;
      await retry(() => single.upsertEntity(one));
    }
  },
  async 'timeout-before-commit/tries-again'() {
    await retry(() => insertOnce(single, one));
    check((await count()) === 1, 'the entity is there');
  },
  async 'timeout-before-commit/takes-it-for-done'() {
    await single.createEntity(one).catch((error) => {
      if (codeOf(error) !== 'OperationTimedOut') throw error;
    });
    check((await count()) === 1, 'the entity is there');
  },
  async 'timeout-after-commit/looks-whether-it-is-there'() {
    await insertOnce(patient, one);
  },
  async 'timeout-after-commit/takes-409-for-a-failure'() {
    await patient.createEntity(one);
  },
  async 'timeout-after-commit/inserts-with-a-new-key'() {
    await retry((tries) => single.createEntity({ ...one, rowKey: String(tries) }));
    check((await count()) === 1, 'there is one entity');
  },
  async 'reset-after-commit/etag-and-id'() {
    await counterAddedBy(single, { isGuarded: true });
  },
  async 'reset-after-commit/blind-counter'() {
    await counterAddedBy(single, { isGuarded: false });
  },
  async 'batch-reply-lost/upserts'() {
    await patient.submitTransaction(transaction((actions, row) => actions.upsertEntity(row, 'Replace')));
    check((await count()) === rows.length, 'the batch is done');
  },
  async 'batch-reply-lost/inserts'() {
    await patient.submitTransaction(transaction((actions, row) => actions.createEntity(row)));
  },
  async 'empty-page/to-the-end'() {
    await fill();
    await readPages(() => false);
  },
  async 'empty-page/until-a-page-is-empty'() {
    await fill();
    await readPages((page) => page.length === 0);
  },
  async 'empty-page/until-a-page-is-short'() {
    await fill();
    await readPages((page) => page.length < 2);
  },
  async 'expired-continuation/goes-on-after-the-last-key'() {
    await fill();
    const found = [];
    await retry(async () => {
      const filter = `PartitionKey eq 'p' and RowKey gt '${found.at(-1)?.rowKey ?? ''}'`;
      for await (const entity of patient.listEntities({ queryOptions: { filter } })) found.push(entity);
    });
    check(found.length === rows.length, 'all are found once');
  },
  async 'expired-continuation/fails'() {
    await fill();
    check((await count()) === rows.length, 'all are found');
  },
  async 'expired-continuation/begins-again-and-counts-twice'() {
    await fill();
    const found = [];
    await retry(async () => {
      for await (const entity of patient.listEntities()) found.push(entity);
    });
    check(found.length === rows.length, 'all are found once');
  },
  async 'signature-expired/renews'() {
    let client = connectSigned();
    try {
      await client.upsertEntity(one);
    } catch (error) {
      if (statusOf(error) !== 403) throw error;
      client = connectSigned();
      await client.upsertEntity(one);
    }
  },
  async 'signature-expired/keeps-it'() {
    await connectSigned().upsertEntity(one);
  },
  async 'slow/waits'() {
    await single.upsertEntity(one, 'Merge', withTimeout(20_000));
  },
  async 'slow/two-seconds'() {
    await single.upsertEntity(one, 'Merge', withTimeout(2_000));
  },
  async 'hang/gives-up-and-tries-again'() {
    await retry(() => single.upsertEntity(one, 'Merge', withTimeout(3_000)));
  },
  async 'hang/waits'() {
    await single.upsertEntity(one);
  },
  async 'cut-response/reads-again'() {
    await fill();
    const found = await retry(() => single.getEntity('p', '2'));
    check(found.amount === 1, 'the entity is read');
  },
  async 'cut-response/reads-once'() {
    await fill();
    await single.getEntity('p', '2');
  },
};

await patient.createTable();
await programs[process.argv[2]]();
