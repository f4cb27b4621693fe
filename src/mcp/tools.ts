// Describes the tools that an assistant can call: their names, descriptions and inputs. The texts are fixed and never
// contain data of an emulator. src/control/mcp carries out the calls.

/** JSON Schema of an object. */
export interface InputSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** `reads`: changes nothing. `adds`: removes nothing. `destroys`: replaces or removes data. */
  readonly effect: 'reads' | 'adds' | 'destroys';
  /** Whether a second call has no further effect. */
  readonly isIdempotent: boolean;
}

const rowsMax = 100;

const account = { type: 'string', description: 'The account; by default, the first that is configured.' } as const;
const table = { type: 'string', description: 'The name of the table.' } as const;
const filter = {
  type: 'string',
  maxLength: 32_768,
  description: "A filter as in $filter, such as PartitionKey eq 'a' and Age gt 5; an empty text selects everything.",
} as const;
const limit = (what: string) =>
  ({
    type: 'integer',
    minimum: 1,
    maximum: rowsMax,
    description: `The maximum number of ${what}; by default, ${rowsMax}.`,
  }) as const;
const keyText = { type: 'string', maxLength: 1_024 } as const;
const partitionKey = { ...keyText, description: 'The PartitionKey of the entity.' } as const;
const rowKey = { ...keyText, description: 'The RowKey of the entity.' } as const;
const snapshotName = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'The name of the snapshot.',
} as const;

function input(properties: InputSchema['properties'], required: readonly string[] = []): InputSchema {
  return { type: 'object', additionalProperties: false, ...(required.length > 0 && { required }), properties };
}

const reading: readonly Omit<Tool, 'effect' | 'isIdempotent'>[] = [
  {
    name: 'list_tables',
    title: 'List tables',
    description:
      'Lists all accounts and the tables of one account. For each table, shows the number of entities, bytes and partitions. Call this tool first.',
    inputSchema: input({
      account,
      from: {
        type: 'string',
        minLength: 1,
        maxLength: 63,
        description: 'The table at which the answer begins: the value of `next` in an earlier answer.',
      },
    }),
  },
  {
    name: 'describe_table',
    title: 'Describe a table',
    description:
      'Describes a table from a sample of its entities: the properties with their types and the number of entities that have them, the shapes of PartitionKey and RowKey, the largest partitions, and the order in which keys are written.',
    inputSchema: input({ account, table }, ['table']),
  },
  {
    name: 'query',
    title: 'Query entities',
    description:
      'Runs a query, and returns one page of entities and the cost of the query: the plan (point, range, partition scan or table scan), the numbers of visited and returned entities, and advice that would make the query cheaper. The query does not count as traffic of the application: it uses no capacity, and the advisor does not see it.',
    inputSchema: input(
      {
        account,
        table,
        filter,
        select: {
          type: 'array',
          maxItems: 255,
          items: { type: 'string', maxLength: 255 },
          description: 'The properties to show, as in $select; by default, all.',
        },
        limit: limit('entities'),
      },
      ['table'],
    ),
  },
  {
    name: 'get_entity',
    title: 'Get an entity',
    description: 'One entity by its keys.',
    inputSchema: input({ account, table, partitionKey, rowKey }, ['table', 'partitionKey', 'rowKey']),
  },
  {
    name: 'explain_filter',
    title: 'Explain a filter',
    description:
      'Explains how the service evaluates a filter, without reading a table: which conditions limit the range of keys, which conditions are evaluated on each entity, and what would be cheaper. If the service refuses the filter, says where the mistake is.',
    inputSchema: input({ filter }, ['filter']),
  },
  {
    name: 'recent_requests',
    title: 'List recent requests',
    description:
      'Lists the last requests that the application sent, newest first, each with its operation, table, keys or filter, status, plan, visited and returned entities, duration, capacity and staged faults. The list begins when an assistant first uses the emulator: earlier requests are not kept.',
    inputSchema: input({
      account,
      table,
      refusedOnly: { type: 'boolean', description: 'Whether only requests that were refused are listed.' },
      limit: limit('requests'),
    }),
  },
  {
    name: 'why',
    title: 'Say why a request was refused',
    description:
      'Why the service refused a request, for example because of a wrong signature, a malformed filter, an entity that is too large or an exceeded target: the check that refused it, and what it expected. The id is x-ms-request-id of the response or x-ms-client-request-id of the request; by default, it is the last request that was refused.',
    inputSchema: input({
      requestId: { type: 'string', minLength: 1, maxLength: 1_024, description: 'The id of the request.' },
    }),
  },
  {
    name: 'advise',
    title: 'Review the application',
    description:
      "Applies Microsoft's guides to the requests that the application has sent. Returns findings, each with its evidence, its cost, advice and the page of the guides from which the advice comes. Run the application or its tests first.",
    inputSchema: input({
      table: { ...table, description: 'Only findings of this table.' },
      rule: { type: 'string', maxLength: 64, description: 'Only findings of this rule, such as table-scan.' },
    }),
  },
  {
    name: 'capacity',
    title: 'Show load and capacity',
    description:
      'Compares the load of the last seconds with the scalability targets of the service. Shows the ranges of each table, the hot partitions, and the requests that the service in production would have throttled.',
    inputSchema: input({ account }),
  },
  {
    name: 'simulate_keys',
    title: 'Try other keys',
    description:
      'What another design of PartitionKey and RowKey would do, with the entities of a table (or `entities`) and its recent queries (or `queries`): how entities would be distributed, hot and append-only keys, and for each query whether it becomes a point, a range or a scan, with visited entities and billable transactions before and after. A key is text with properties in braces: {Department}, {EmployeeId:000000} with leading zeros, {OrderDate:yyyyMM}, {OrderDate:ticks}, {OrderDate:inverted} for the newest first, {Email:lower}, {hash(CustomerId,16)} for one of 16 buckets, and literals around them. {PartitionKey} and {RowKey} are the current keys. `index` adds a copy of each entity under other keys. Changes nothing.',
    inputSchema: input(
      {
        account,
        table: { ...table, description: 'The table whose entities are used.' },
        entities: {
          type: 'array',
          minItems: 1,
          maxItems: 1_000,
          items: { type: 'object' },
          description: 'Entities instead of a table; they need no keys.',
        },
        partitionKey: { ...keyText, description: 'The template of the PartitionKey.' },
        rowKey: { ...keyText, description: 'The template of the RowKey.' },
        index: {
          type: 'object',
          additionalProperties: false,
          required: ['partitionKey', 'rowKey'],
          description: 'A copy of each entity under other keys.',
          properties: {
            partitionKey: keyText,
            rowKey: keyText,
            isInSameTable: {
              type: 'boolean',
              description: 'Whether the copies are in the same table; false by default.',
            },
          },
        },
        queries: {
          type: 'array',
          minItems: 1,
          maxItems: 200,
          description: 'Queries to try instead of recent queries.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['filter'],
            properties: {
              filter,
              top: { type: 'integer', minimum: 0, maximum: 1_000, description: '$top of the query.' },
              requests: { type: 'integer', minimum: 1, maximum: 1_000_000_000, description: 'How often it is sent.' },
            },
          },
        },
        orderBy: { type: 'string', maxLength: 255, description: 'The property that says when an entity is written.' },
      },
      ['partitionKey', 'rowKey'],
    ),
  },
];

const writing: readonly Tool[] = [
  {
    name: 'put_entity',
    title: 'Write an entity',
    description:
      'Writes one entity in the JSON form of the service: PartitionKey, RowKey and properties. If JSON does not show the type of a property, add a type annotation, for example "Id@odata.type": "Edm.Int64" next to "Id": "5". The table must exist.',
    effect: 'destroys',
    isIdempotent: true,
    inputSchema: input(
      {
        account,
        table,
        entity: { type: 'object', description: 'The entity with its keys.' },
        mode: {
          enum: ['replace', 'merge', 'insert'],
          description:
            'replace (the default): insert it or replace the existing one; merge: insert it or set these properties; insert: refuse if it exists.',
        },
      },
      ['table', 'entity'],
    ),
  },
  {
    name: 'seed',
    title: 'Load a table',
    description:
      'Creates a table with exactly the given entities. An existing table of that name is replaced. If an entity cannot be loaded, nothing changes.',
    effect: 'destroys',
    isIdempotent: true,
    inputSchema: input(
      {
        account,
        table,
        entities: {
          type: 'array',
          maxItems: 5_000,
          items: { type: 'object' },
          description: 'The entities with their keys.',
        },
      },
      ['table', 'entities'],
    ),
  },
  {
    name: 'reset',
    title: 'Empty an account or a table',
    description:
      'Deletes every table of an account, or every entity of one table. Also discards what the advisor and the capacity model know about the deleted data. If the data may still be needed, save a snapshot first.',
    effect: 'destroys',
    isIdempotent: true,
    inputSchema: input(
      {
        account: { ...account, description: 'The account.' },
        table: { ...table, description: 'Only this table is emptied.' },
      },
      ['account'],
    ),
  },
  {
    name: 'snapshot_save',
    title: 'Save a snapshot',
    description:
      'Saves the state of an account or a table under a name. An existing snapshot of that name is replaced.',
    effect: 'adds',
    isIdempotent: true,
    inputSchema: input({ account, name: snapshotName, table: { ...table, description: 'Only this table is saved.' } }, [
      'name',
    ]),
  },
  {
    name: 'snapshot_restore',
    title: 'Restore a snapshot',
    description:
      'Restores the state that a snapshot contains. Data that was written after the snapshot was saved is lost.',
    effect: 'destroys',
    isIdempotent: true,
    inputSchema: input(
      { account, name: snapshotName, table: { ...table, description: 'Only this table is restored.' } },
      ['name'],
    ),
  },
  {
    name: 'faults_add',
    title: 'Stage faults',
    description:
      'Makes requests go wrong as they do in production. A rule has `match` (operation, table, partitionKey …), `when` (nth, first, every, probability), `times` and `fault`, such as {"kind": "error", "code": "ServerBusy"} or {"kind": "delay", "ms": 500}. The resource tanzanite://docs/faults describes the rules.',
    effect: 'adds',
    isIdempotent: false,
    inputSchema: input(
      {
        rules: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: { type: 'object' },
          description: 'The rules, in the order in which they are tried.',
        },
      },
      ['rules'],
    ),
  },
  {
    name: 'faults_clear',
    title: 'Remove all faults',
    description: 'Removes every fault rule.',
    effect: 'destroys',
    isIdempotent: true,
    inputSchema: input({}),
  },
  {
    name: 'clock_advance',
    title: 'Move the clock forward',
    description:
      "Moves the emulator's clock forward. The clock decides when signatures and tokens expire, and when the names of deleted tables are free again. It also affects capacity. To return to the machine's time, use the command `tanzanite clock release`.",
    effect: 'adds',
    isIdempotent: false,
    inputSchema: input({ ms: { type: 'number', minimum: 0, description: 'Milliseconds.' } }, ['ms']),
  },
];

const all: readonly Tool[] = [
  ...reading.map((tool) => ({ ...tool, effect: 'reads', isIdempotent: true }) as const),
  ...writing,
];

/** The tools that a client sees. */
export const toolsFor = ({ allowsWrites }: { readonly allowsWrites: boolean }): readonly Tool[] =>
  allowsWrites ? all : all.filter(({ effect }) => effect === 'reads');
