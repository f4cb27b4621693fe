// A frame of `tanzanite top`: what was refused, then the busiest accounts, their tables with ranges, and hot partitions.

import type {
  AccountReport,
  CapacityReport,
  HotPartitionReport,
  RangeReport,
  TableReport,
} from '../capacity/capacity-report.ts';
import type { ThrottleMode } from '../capacity/capacity-settings.ts';
import { describeBriefly, quoteKey } from '../capacity/describe-refusals.ts';
import { clip, columnsOf } from './columns.ts';

export interface FrameOptions {
  readonly columns: number;
  readonly rows: number;
}

/** In a window that is too small the lines of the lowest rank are left out. */
interface Line {
  readonly text: string;
  /** The share of its target that it tells of, 1 more where that was too much. */
  readonly rank: number;
}

interface Frame extends FrameOptions {
  readonly report: CapacityReport;
}

const accountsMax = 3;
const tablesMax = 5;
const rangesMax = 6;
const partitionsMax = 8;

/** A smaller window has shorter bars, and fewer of the seconds. */
const wideColumns = 100;
const tallRows = 30;

/** Of a line that every window shows as long as it can. */
const always = Number.MAX_VALUE;

/** Plain text, in lines that fit. */
export function renderCapacity(report: CapacityReport, { columns, rows }: FrameOptions): string {
  const lines = report.throttle === 'off' ? uncountedLines() : countedLines({ report, columns, rows });
  return fitRows(lines, rows)
    .map(({ text }) => clip(text, columns))
    .join('\n');
}

const uncountedLines = (): Line[] =>
  ['throttle off', '', 'nothing is counted: the emulator runs with --throttle off'].map(shown);

function countedLines(frame: Frame): Line[] {
  const { throttle, scale, targets, accounts, accountsLeftOut } = frame.report;
  const busiest = accounts.toSorted((a, b) => b.unitsPerSecond - a.unitsPerSecond).slice(0, accountsMax);
  const hidden = accountsLeftOut + accounts.length - busiest.length;
  const told = `account ${number(targets.account)}, range ${number(targets.range)}, partition ${number(targets.partition)}`;
  return [
    shown(`throttle ${throttle} · scale ${scale} · ${told}: targets in units of 1 KiB a second`),
    ...refusalLines(frame).map(shown),
    ...(busiest.length === 0 ? ['', 'nothing was asked for yet'].map(shown) : []),
    ...busiest.flatMap((account) => accountLines(account, frame)),
    ...(hidden > 0 ? [shown(`… and ${count(hidden, 'more account')}`)] : []),
  ];
}

const shown = (text: string): Line => ({ text, rank: always });

function fitRows(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows) return lines;
  const kept = new Set(lines.toSorted((a, b) => b.rank - a.rank).slice(0, rows - 1));
  const left = lines.filter((line) => kept.has(line));
  const cut = count(lines.length - kept.size, 'more line');
  return [...left, shown(`… ${cut}; make the window taller or use --json`)];
}

function refusalLines({ report: { throttle, recentRefusals }, rows }: Frame): string[] {
  if (recentRefusals.length === 0) return ['no refusals'];
  return [
    throttle === 'enforce' ? 'refused, or ended early:' : 'production would have refused, or ended early:',
    ...recentRefusals
      .slice(0, rows < tallRows ? 3 : 5)
      .map((second) => `${String(second.secondsAgo).padStart(3)} s ago  ${describeBriefly(second)}`),
  ];
}

function accountLines(account: AccountReport, frame: Frame): Line[] {
  const { unitsPerSecond, waiting, tables, hotPartitions, tablesLeftOut } = account;
  const { throttle, targets } = frame.report;
  const hidden = tablesLeftOut + Math.max(0, tables.length - tablesMax);
  const loaded = `${bar('account', { unitsPerSecond, ofTarget: unitsPerSecond / targets.account }, frame)}  ${account.account}`;
  const head = `${loaded.trimStart()}${waiting > 0 ? `, ${waiting} waiting` : ''}`;
  const soFar = describeSoFar(account, throttle);
  const isRoom = columnsOf(head) + columnsOf(soFar) + 2 <= frame.columns;
  return [
    shown(''),
    ...(soFar === '' ? [head] : isRoom ? [`${head}; ${soFar}`] : [head, `  ${soFar}`]).map(shown),
    ...tables.slice(0, tablesMax).flatMap((table) => tableLines(table, frame)),
    ...(hidden > 0 ? [{ text: `  … and ${count(hidden, 'more table')}`, rank: 0 }] : []),
    ...hotPartitions
      .filter(isWarm)
      .slice(0, partitionsMax)
      .map((partition) => partitionLine(partition, frame)),
  ];
}

/** "so far 863 would be refused and 39 pages cut", since the account was first asked for. */
function describeSoFar({ refusals, pagesCut }: AccountReport, throttle: ThrottleMode): string {
  const requests = Object.values(refusals).reduce(
    (sum, { busy, timedOut, wouldThrottle }) => sum + busy + timedOut + wouldThrottle,
    0,
  );
  const parts = [
    ...(requests > 0 ? [`${number(requests)}${would(throttle)} refused`] : []),
    ...(pagesCut > 0 ? [`${count(pagesCut, 'page')}${requests > 0 ? '' : would(throttle)} cut`] : []),
  ];
  return parts.length === 0 ? '' : `so far ${parts.join(' and ')}`;
}

function tableLines({ table, unitsPerSecond, keyPattern, ranges, splits, merges }: TableReport, frame: Frame): Line[] {
  const changes = splits + merges > 0 ? `, ${count(splits, 'split')}, ${count(merges, 'merge')}` : '';
  const pattern = keyPattern === null || keyPattern === 'spread' ? '' : `, keys: ${keyPattern}`;
  const busy = ranges.toSorted((a, b) => rankOf(b) - rankOf(a)).slice(0, rangesMax);
  const lines = ranges.filter((range) => busy.includes(range)).map((range) => rangeLine(range, frame));
  return [
    {
      text: `  table ${table}: ${number(unitsPerSecond)}/s in ${count(ranges.length, 'range')}${changes}${pattern}`,
      // Never left out before one of its ranges.
      rank: Math.max(0, ...lines.map(({ rank }) => rank)),
    },
    ...lines,
  ];
}

function rangeLine(range: RangeReport, frame: Frame): Line {
  const told = [
    ...tellRefused(range.refused, frame.report.throttle),
    ...(range.isMoving ? ['moving'] : []),
    ...(range.isLone ? ['cannot split'] : []),
  ];
  const bounds = `from ${quoteKey(range.from)}${range.before === null ? '' : ` before ${quoteKey(range.before)}`}`;
  return { text: besideBar(bar('range', range, frame), { subject: bounds, told, frame }), rank: rankOf(range) };
}

/** A partition that does next to nothing is not worth a line. */
const isWarm = ({ ofTarget, refused }: HotPartitionReport): boolean => ofTarget >= 0.01 || refused > 0;

function partitionLine(partition: HotPartitionReport, frame: Frame): Line {
  const { table, partitionKey, refused } = partition;
  const told = tellRefused(refused, frame.report.throttle);
  const subject = `${quoteKey(partitionKey)} of ${table}`;
  return { text: besideBar(bar('partition', partition, frame), { subject, told, frame }), rank: rankOf(partition) };
}

const tellRefused = (refused: number, throttle: ThrottleMode): string[] =>
  refused > 0 ? [`${number(refused)}${would(throttle)} refused`] : [];

const would = (throttle: ThrottleMode): string => (throttle === 'enforce' ? '' : ' would be');

const rankOf = ({ ofTarget, refused }: Pick<RangeReport, 'ofTarget' | 'refused'>): number =>
  ofTarget + (refused > 0 ? 1 : 0);

/** What is told stays where there is no room for all of the keys, as far as they can still be known. */
function besideBar(
  start: string,
  { subject, told, frame }: { readonly subject: string; readonly told: readonly string[]; readonly frame: Frame },
): string {
  const end = told.map((text) => `, ${text}`).join('');
  const room = frame.columns - columnsOf(start) - 2 - columnsOf(end);
  return `${start}  ${clip(subject, Math.max(subjectColumnsMin, room))}${end}`;
}

const subjectColumnsMin = 8;

/** "    partition [######··············]   31 %     620/s" */
function bar(
  label: string,
  { unitsPerSecond, ofTarget }: Pick<RangeReport, 'unitsPerSecond' | 'ofTarget'>,
  { columns }: Frame,
): string {
  const cellsMax = columns < wideColumns ? 8 : 20;
  const full = Math.min(cellsMax, Math.round(ofTarget * cellsMax));
  const cells = '#'.repeat(full) + '·'.repeat(cellsMax - full);
  const percent = String(Math.round(ofTarget * 100)).padStart(4);
  return `    ${label.padEnd(9)} [${cells}] ${percent} % ${number(unitsPerSecond).padStart(7)}/s`;
}

const count = (value: number, one: string): string => `${number(value)} ${one}${value === 1 ? '' : 's'}`;

const number = (value: number): string => Math.round(value).toLocaleString('en-US');
