// A frame of `tanzanite top`: the busiest accounts, their tables with ranges, hot partitions, and what was refused.

import type { AccountReport, CapacityReport, HotPartitionReport, TableReport } from '../capacity/capacity-report.ts';
import { describeRefusals } from '../capacity/describe-refusals.ts';

export interface FrameOptions {
  readonly columns: number;
  readonly rows: number;
}

const barCells = 20;
const accountsMax = 3;
const tablesMax = 5;
const rangesMax = 6;
const partitionsMax = 8;
const secondsMax = 5;

/** Plain text, in lines that fit. */
export function renderCapacity(report: CapacityReport, { columns, rows }: FrameOptions): string {
  const { throttle, scale, targets, accounts } = report;
  const busiest = accounts.toSorted((a, b) => b.unitsPerSecond - a.unitsPerSecond).slice(0, accountsMax);
  const lines = [
    `throttle ${throttle} · scale ${scale} · targets in units of 1 KiB a second: account ${number(targets.account)}, range ${number(targets.range)}, partition ${number(targets.partition)}`,
    ...(busiest.length === 0 ? ['', 'nothing was asked for yet'] : []),
    ...busiest.flatMap((account) => accountLines(account, report)),
    ...refusalLines(report),
  ];
  return lines
    .slice(0, rows)
    .map((line) => clip(line, columns))
    .join('\n');
}

function accountLines(account: AccountReport, { targets }: CapacityReport): string[] {
  const { unitsPerSecond, waiting, tables, hotPartitions, tablesLeftOut } = account;
  const hidden = tablesLeftOut + Math.max(0, tables.length - tablesMax);
  return [
    '',
    `${load('account', unitsPerSecond, targets.account)}  ${account.account}${waiting > 0 ? `, ${waiting} waiting` : ''}`,
    ...tables.slice(0, tablesMax).flatMap((table) => tableLines(table)),
    ...(hidden > 0 ? [`  … and ${number(hidden)} more tables`] : []),
    ...hotPartitions.filter(isWarm).slice(0, partitionsMax).map(partitionLine),
  ];
}

function tableLines({ table, unitsPerSecond, keyPattern, ranges, splits, merges }: TableReport): string[] {
  const changes = splits + merges > 0 ? `, ${splits} splits, ${merges} merges` : '';
  const pattern = keyPattern === null || keyPattern === 'spread' ? '' : `, keys: ${keyPattern}`;
  const head = `  table ${table}: ${number(unitsPerSecond)}/s in ${ranges.length} range${ranges.length === 1 ? '' : 's'}${changes}${pattern}`;
  const busy = ranges.toSorted((a, b) => b.unitsPerSecond - a.unitsPerSecond).slice(0, rangesMax);
  const shown = ranges.filter((range) => busy.includes(range));
  return [
    head,
    ...shown.map((range) => {
      const state = [
        range.isMoving && 'moving',
        range.isLone && 'cannot split',
        range.refused > 0 && `${number(range.refused)} refused`,
      ];
      const told = state.filter((text) => text !== false).join(', ');
      const bounds = `from ${quote(range.from)}${range.before === null ? '' : ` before ${quote(range.before)}`}`;
      return `${bar('range', range.unitsPerSecond, range.ofTarget)}  ${bounds}${told === '' ? '' : `, ${told}`}`;
    }),
  ];
}

/** A partition that does next to nothing is not worth a line. */
const isWarm = ({ ofTarget, refused }: HotPartitionReport): boolean => ofTarget >= 0.01 || refused > 0;

function partitionLine({ table, partitionKey, unitsPerSecond, ofTarget, refused }: HotPartitionReport): string {
  const told = refused > 0 ? `, ${number(refused)} refused` : '';
  return `${bar('partition', unitsPerSecond, ofTarget)}  ${quote(partitionKey)} of ${table}${told}`;
}

function refusalLines({ recentRefusals }: CapacityReport): string[] {
  if (recentRefusals.length === 0) return ['', 'no refusals'];
  const told = recentRefusals
    .slice(0, secondsMax)
    .map((second) => `  ${String(second.secondsAgo).padStart(4)} s ago  ${describeRefusals(second)}`);
  return ['', 'refusals', ...told];
}

const load = (label: string, units: number, target: number): string => bar(label, units, units / target).trimStart();

/** "  partition [######··············]  31 %    620/s" */
function bar(label: string, units: number, share: number): string {
  const full = Math.min(barCells, Math.round(share * barCells));
  const cells = '#'.repeat(full) + '·'.repeat(barCells - full);
  return `    ${label.padEnd(9)} [${cells}] ${String(Math.round(share * 100)).padStart(4)} % ${number(units).padStart(8)}/s`;
}

/** As JSON has it, so that no key moves the cursor. */
function quote(key: string): string {
  const text = JSON.stringify(key).replaceAll(/[\u007f-\u009f]/g, '?');
  return text.length > 40 ? `${text.slice(0, 38)}…"` : text;
}

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const clip = (line: string, columns: number): string =>
  line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
