import type { KeySimulation } from '../../advisor/keys/simulate-keys.ts';
import { LineFault } from '../../data/file-fault.ts';
import type { SampleRow } from '../../data/sample-reader.ts';
import { pageEntitiesMax } from '../../model/limits.ts';
import { giveWay } from '../../model/schedule.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';
import { sampleTable } from '../data/sample-table.ts';
import { unknownTable } from './unknown-table.ts';

interface Keys {
  readonly partitionKey: string;
  readonly rowKey: string;
}

export interface SimulationBody extends Keys {
  readonly table?: string;
  readonly account?: string;
  /** Entities as NDJSON. */
  readonly entities?: string;
  readonly index?: Keys & { readonly isInSameTable?: boolean };
  readonly queries?: readonly { readonly filter: string; readonly top?: number; readonly requests?: number }[];
  readonly orderBy?: string;
}

const key = { type: 'string', maxLength: 1_024 } as const;

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['partitionKey', 'rowKey'],
  properties: {
    partitionKey: { ...key, description: 'How to build the PartitionKey, such as {Department}.' },
    rowKey: { ...key, description: 'How to build the RowKey, such as {EmployeeId:000000}.' },
    index: {
      type: 'object',
      additionalProperties: false,
      required: ['partitionKey', 'rowKey'],
      description: 'A copy of each entity under other keys.',
      properties: {
        partitionKey: key,
        rowKey: key,
        isInSameTable: {
          type: 'boolean',
          description: 'Whether the copies are in the same table. The default is false.',
        },
      },
    },
    table: { type: 'string', description: 'The table whose entities are used to try the keys.' },
    account: { type: 'string', description: 'The account of the table. The default is the first account.' },
    entities: {
      type: 'string',
      maxLength: 4_194_304,
      description: 'Entities to use instead of a table, one JSON object on each line. They need no keys.',
    },
    queries: {
      type: 'array',
      maxItems: 1_000,
      description: 'The queries to try. The default is the queries that the table received recently.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['filter'],
        properties: {
          filter: { type: 'string', description: 'The filter, as in $filter. Empty for all entities.' },
          top: { type: 'integer', minimum: 0, maximum: pageEntitiesMax },
          requests: {
            type: 'integer',
            minimum: 1,
            maximum: 1_000_000_000,
            description: 'How many times the query is sent. The default is 1.',
          },
        },
      },
    },
    orderBy: {
      type: 'string',
      maxLength: 255,
      description: 'The property that contains the time at which an entity is written.',
    },
  },
} as const;

/** Maximum for the body: entities in a JSON string, whose characters may be escaped. */
const bodyBytesMax = 8 * 1_048_576;
const bounds = { entitiesMax: 20_000, charsMax: 16 * 1_048_576, readMax: 500_000 };

/** POST /_emulator/simulate-keys: what a design of keys would do with entities and queries. Changes nothing. */
export function simulateKeysRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'POST',
    url: '/_emulator/simulate-keys',
    bodyLimit: bodyBytesMax,
    schema: { body: requestSchema },
    handler: ({ body }) => simulateDesign(body as SimulationBody, tools),
  };
}

/** `pause` lets other requests run; if it rejects, the work ends. Throws ControlError. */
export async function simulateDesign(
  body: SimulationBody,
  tools: ControlTools,
  pause: () => Promise<void> = () => giveWay(tools.schedule),
): Promise<KeySimulation> {
  const { index, queries: given, table, entities, ...rest } = body;
  if ((table === undefined) === (entities === undefined)) {
    throw new ControlError('InvalidRequest', 'Give either "table" or "entities".');
  }
  const account = accountNamed(body.account, await tools.accountNames());
  // Loaded by the first request, like the rules.
  const { simulateTexts, KeyRefusal } = await import('../../advisor/keys/simulate-texts.ts');
  const sample =
    table === undefined
      ? { entities: await readRows(entities ?? '', pause), givenOrder: 'in the order given' }
      : await readTable({ account, table }, tools);
  const recent = table === undefined ? [] : (tools.advisor?.recentQueries(account, table) ?? []);
  const { targets } = tools.capacity.report();
  try {
    return await simulateTexts({
      ...rest,
      ...sample,
      index: index && { ...index, isInSameTable: index.isInSameTable ?? false },
      queries: given ?? recent,
      settings: tools.advisor?.settings,
      targets,
      nextTurn: pause,
    });
  } catch (error) {
    if (!(error instanceof KeyRefusal)) throw error;
    const subject = error.subject === 'entities' ? '' : `"${error.subject}": `;
    const message = `${subject}${error.message}.`;
    throw new ControlError(
      'InvalidInput',
      subject === '' ? `${message.charAt(0).toUpperCase()}${message.slice(1)}` : message,
    );
  }
}

async function readTable(place: { readonly account: string; readonly table: string }, tools: ControlTools) {
  const { store, schedule } = tools;
  // An account that was never used has no tables, and a simulation must not create data for it.
  if (!(await store.exists(place.account))) throw unknownTable('tableMissing', place);
  const sample = await sampleTable(store, place, { ...bounds, schedule });
  if (typeof sample === 'string') throw unknownTable(sample, place);
  return sample;
}

/** Bytes that are read in one turn of the event loop. */
const turnBytes = 16_384;

async function readRows(text: string, pause: () => Promise<void>): Promise<readonly SampleRow[]> {
  const { SampleReader } = await import('../../data/sample-reader.ts');
  const bytes = Buffer.from(text);
  const rows: SampleRow[] = [];
  const reader = new SampleReader('ndjson');
  try {
    for (let start = 0; start < bytes.length; start += turnBytes) {
      if (start > 0) await pause();
      for (const { entity } of reader.push(bytes.subarray(start, start + turnBytes))) rows.push(entity);
    }
    for (const { entity } of reader.end()) rows.push(entity);
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    throw new ControlError('InvalidRequest', `"entities": line ${error.line}: ${error.message}.`, { line: error.line });
  }
  return rows;
}
