// Reads one page, possibly over several turns of the event loop, with writes between the turns. The page is still a
// snapshot of one moment: the moment at which the page ends. If a write changes a key that the scan has passed, the
// scan reads that key again before it continues. So the matches are always current for all keys that the scan has
// passed. No read transaction stays open, so a scan never makes the write-ahead log grow, and a scan of a database in
// memory works in the same way (docs/adr/0005).

import type { EntityKey } from '../../../model/entity.ts';
import type { MachineTime } from '../../../model/time.ts';
import { PageBuilder } from '../../page-builder.ts';
import type { ScanPage, ScanRequest } from '../../store.ts';
import { BlockReader } from './block-reader.ts';
import type { TableBlocks } from './column-cache.ts';
import type { TableRows } from './table-rows.ts';

export interface ScanTools {
  readonly tableId: number;
  readonly rows: TableRows;
  readonly blocks: TableBlocks;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
}

export class Scan {
  readonly tableId: number;
  readonly #request: ScanRequest;
  readonly #tools: ScanTools;
  readonly #page: PageBuilder;
  readonly #reader: BlockReader;
  readonly #giveUpAtMs: number;
  /** Keys behind the cursor that were written since the last step. */
  readonly #changed: EntityKey[] = [];

  constructor(request: ScanRequest, tools: ScanTools) {
    const { filter, onColumns, range, timeMsMax } = request;
    this.tableId = tools.tableId;
    this.#request = request;
    this.#tools = tools;
    this.#page = new PageBuilder(request);
    this.#reader = new BlockReader(tools, { filter, onColumns, start: range.from });
    this.#giveUpAtMs = tools.machineTime.monotonicMs() + timeMsMax;
  }

  /**
   * Continues the scan until the page is complete or the time is over, but makes at least one step. Returns the page,
   * or undefined if the page is not complete yet.
   */
  advance(untilMs: number): ScanPage | undefined {
    if (this.#request.isAbandoned?.()) return this.#page.cutOff();
    for (const key of this.#changed.splice(0)) this.#readAgain(key);
    for (let isFirst = true; ; ) {
      const step = this.#page.step();
      if (step.kind === 'done') return step.page;
      if (step.kind === 'find') {
        step.found(this.#reader.firstKey(step.from, step.before));
        continue;
      }
      const nowMs = this.#tools.machineTime.monotonicMs();
      if (nowMs >= this.#giveUpAtMs) return this.#page.cutOff();
      if (nowMs >= untilMs && !isFirst) return undefined;
      this.#page.take(this.#reader.read(step));
      isFirst = false;
    }
  }

  /** Reads the page without a pause, at most until its time limit. */
  readWhole(): ScanPage {
    return this.advance(Number.POSITIVE_INFINITY) ?? this.#page.cutOff();
  }

  /** Notes a committed write to the table. */
  recordChange(key: EntityKey): void {
    if (this.#page.hasPassed(key)) this.#changed.push(key);
  }

  /** The page of a table that was cleared in the meantime. */
  emptied(): ScanPage {
    return this.#page.emptied();
  }

  /** The page so far, if the rows of the table have been replaced. It shows the table before the replacement. */
  interrupted(): ScanPage {
    // Keys written behind the cursor cannot be read again, so the page would not show the state of a single moment.
    return this.#changed.length === 0 ? this.#page.cutOff() : this.#page.startedOver();
  }

  #readAgain(key: EntityKey): void {
    const { rows } = this.#tools;
    const row = rows.find(this.tableId, key);
    const selected = row && this.#reader.selects(row) ? rows.toRecord(row) : undefined;
    this.#page.correct(key, { exists: row !== undefined, selected });
  }
}
