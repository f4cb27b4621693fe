import { KeyWatch } from './key-pattern.ts';
import { LoadWindow } from './load-window.ts';
import type { RangeRules } from './range-partition.ts';
import { TableRanges } from './table-ranges.ts';

/** What is counted of one table. */
export interface TableCapacity {
  /** As it was first asked for. */
  readonly name: string;
  readonly ranges: TableRanges;
  readonly keys: KeyWatch;
  readonly load: LoadWindow;
  /** Entity units since it was first asked for. */
  units: number;
  /** The partition in which the last page from the beginning of the table began: most likely the next one will, too. */
  scansBeginWith?: string;
}

export function newTableCapacity(name: string, rules: RangeRules, nowUs: number): TableCapacity {
  return { name, ranges: new TableRanges(rules, nowUs), keys: new KeyWatch(), load: new LoadWindow(), units: 0 };
}
