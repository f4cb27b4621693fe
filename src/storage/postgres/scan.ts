// Reads one page. page-builder.ts decides the steps. All statements of a page see the same state.

import type { EntityKey, EntityRecord } from '../../model/entity.ts';
import { entityUnits } from '../../model/entity-units.ts';
import { propertyFinder } from '../../model/properties.ts';
import type { MachineTime } from '../../model/time.ts';
import { type Column, ColumnBuilder } from '../../query/column.ts';
import { matchColumns, propertiesOf } from '../../query/match.ts';
import { PageBuilder, type PageStep, type Stretch } from '../page-builder.ts';
import type { ScanPage, ScanRequest, Visit } from '../store.ts';
import { visitOf } from '../visit-parts.ts';
import type { FetchSize, PageRows, StoredRow } from './page-rows.ts';
import { createStoredTicksFormat } from './stored-ticks.ts';

/** The most rows that are passed to the page at a time: about a millisecond of work. */
const stretchRowsMax = 256;
/** With a filter, more rows are fetched at a time, because most of them may not belong to the page. */
const filteredRowsMax = 1024;
const filteredBytesMax = 1 << 20;

/** Whether one statement is nearly always enough for the page. */
export const isReadAtOnce = ({ filter, endsBefore }: ScanRequest): boolean => !filter && !endsBefore;

export interface PostgresScanTools {
  readonly rows: PageRows;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
}

export class PostgresScan {
  readonly #request: ScanRequest;
  readonly #tools: PostgresScanTools;
  readonly #page: PageBuilder;
  readonly #names: ReadonlySet<string>;
  readonly #formatTicks = createStoredTicksFormat();
  #hasFetched = false;
  /** Whether any row was found. */
  hasRows = false;

  constructor(request: ScanRequest, tools: PostgresScanTools) {
    this.#request = request;
    this.#tools = tools;
    this.#page = new PageBuilder(request);
    this.#names = request.filter ? propertiesOf(request.filter) : new Set();
  }

  async run(): Promise<ScanPage> {
    const { machineTime } = this.#tools;
    const giveUpAtMs = machineTime.monotonicMs() + this.#request.timeMsMax;
    for (;;) {
      if (this.#request.isAbandoned?.()) return this.#page.cutOff();
      const step = this.#page.step();
      if (step.kind === 'done') return step.page;
      if (step.kind === 'find') {
        step.found(await this.#firstKey(step));
        continue;
      }
      if (machineTime.monotonicMs() >= giveUpAtMs) return this.#page.cutOff();
      this.#page.take(await this.#stretch(step));
    }
  }

  async #firstKey({ from, before }: Extract<PageStep, { kind: 'find' }>): Promise<EntityKey | undefined> {
    const { rows } = this.#tools;
    for (let at: EntityKey | undefined = from; at; ) {
      // A page that begins by looking for its partition reads this partition next, so it fetches all rows it needs.
      const { limit, bytesMax } = this.#request;
      const size = this.#hasFetched ? { rows: 1, bytes: bytesMax } : this.#sizeFor(limit + 1);
      if (!rows.holds(at)) await this.#fetch(at, before, size);
      const { rows: found, high } = rows.take(at, before, 1);
      if (found[0]) return found[0];
      at = high === before ? undefined : high;
    }
    return undefined;
  }

  async #stretch({ from, before, wanted }: Extract<PageStep, { kind: 'read' }>): Promise<Stretch> {
    const { rows } = this.#tools;
    if (!rows.holds(from)) await this.#fetch(from, before, this.#sizeFor(wanted));
    const { rows: found, high } = rows.take(from, before, stretchRowsMax);
    return {
      start: 0,
      end: found.length,
      high,
      selected: this.#select(found),
      entityAt: (at) => found[at] && this.#recordOf(found[at]),
      visitUpTo: (end) => visitOfRows(found.slice(0, end)),
    };
  }

  #select(found: readonly StoredRow[]): Uint8Array | undefined {
    const { filter, onColumns } = this.#request;
    if (!filter) return undefined;
    const columns = readColumns(found, this.#names);
    onColumns?.(columns);
    return matchColumns(filter, columns, found.length);
  }

  async #fetch(from: EntityKey, before: EntityKey | undefined, size: FetchSize): Promise<void> {
    const { rows } = this.#tools;
    await rows.fetch(from, before, size);
    this.#hasFetched = true;
    this.hasRows ||= rows.take(from, before, 1).rows.length > 0;
  }

  #sizeFor(wanted: number): FetchSize {
    const { filter, bytesMax } = this.#request;
    if (!filter) return { rows: wanted, bytes: bytesMax };
    return { rows: this.#hasFetched ? filteredRowsMax : stretchRowsMax, bytes: filteredBytesMax };
  }

  #recordOf({ partitionKey, rowKey, ticks, properties }: StoredRow): EntityRecord {
    return { partitionKey, rowKey, timestamp: this.#formatTicks(ticks), properties };
  }
}

function readColumns(rows: readonly StoredRow[], names: ReadonlySet<string>): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const name of names) columns.set(name, readColumn(rows, name));
  return columns;
}

function readColumn(rows: readonly StoredRow[], name: string): Column {
  const column = new ColumnBuilder(rows.length);
  const find = propertyFinder(name);
  for (const [at, { partitionKey, rowKey, ticks, properties }] of rows.entries()) {
    if (name === 'PartitionKey') column.set(at, { type: 'Edm.String', value: partitionKey });
    else if (name === 'RowKey') column.set(at, { type: 'Edm.String', value: rowKey });
    else if (name === 'Timestamp') column.set(at, { type: 'Edm.DateTime', value: BigInt(ticks) });
    else {
      const edm = find(properties);
      if (edm) column.set(at, edm);
    }
  }
  return column;
}

function visitOfRows(rows: readonly StoredRow[]): Visit {
  const units = Uint16Array.from(rows, entityUnits);
  const starts: number[] = [];
  for (const [at, { partitionKey }] of rows.entries()) {
    if (rows[at - 1]?.partitionKey !== partitionKey) starts.push(at);
  }
  const keyAt = (at: number): string => rows[at]?.partitionKey ?? '';
  const keys = { known: keyAt, at: keyAt };
  return visitOf({ units, starts: Uint16Array.from(starts) }, { start: 0, end: rows.length, keys });
}
