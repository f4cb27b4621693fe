// One page being read, possibly over several turns of the event loop, between which others write. The page is a snapshot all
// the same, of the moment in which it ends: what is committed behind the cursor is looked at again before the scan goes on, so
// that at any time the matches are those of the keys passed so far, as they are now. No read transaction stays open, so the
// write-ahead log never grows because of a scan, and memory works as a file does (docs/adr/0005).

import type { EntityKey } from '../../model/entity.ts';
import type { MachineTime } from '../../model/time.ts';
import { PageBuilder } from '../page-builder.ts';
import type { ScanPage, ScanRequest } from '../store.ts';
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
  /** Written behind the cursor since the last step. */
  readonly #changed: EntityKey[] = [];

  constructor(request: ScanRequest, tools: ScanTools) {
    const { filter, range, timeMsMax } = request;
    this.tableId = tools.tableId;
    this.#request = request;
    this.#tools = tools;
    this.#page = new PageBuilder(request);
    this.#reader = new BlockReader(tools, { filter, start: range.from });
    this.#giveUpAtMs = tools.machineTime.monotonicMs() + timeMsMax;
  }

  /** Continues until the page is complete or the time is over, and returns the page in the first case. */
  advance(untilMs: number): ScanPage | undefined {
    if (this.#request.isAbandoned?.()) return this.#page.cutOff();
    for (const key of this.#changed.splice(0)) this.#lookAgain(key);
    for (;;) {
      const step = this.#page.step();
      if (step.kind === 'done') return step.page;
      if (step.kind === 'find') {
        step.found(this.#reader.firstKey(step.from, step.before));
        continue;
      }
      const nowMs = this.#tools.machineTime.monotonicMs();
      if (nowMs >= this.#giveUpAtMs) return this.#page.cutOff();
      if (nowMs >= untilMs) return undefined;
      this.#page.take(this.#reader.read(step));
    }
  }

  /** Takes note of a committed write to the table. */
  noteChange(key: EntityKey): void {
    if (this.#page.hasPassed(key)) this.#changed.push(key);
  }

  /** The page of a table of which everything was deleted meanwhile. */
  emptied(): ScanPage {
    return this.#page.emptied();
  }

  #lookAgain(key: EntityKey): void {
    const { rows } = this.#tools;
    const row = rows.find(this.tableId, key);
    const selected = row && this.#reader.selects(row) ? rows.toRecord(row) : undefined;
    this.#page.correct(key, { exists: row !== undefined, selected });
  }
}
