// The command `tanzanite top`. A frame shows recent refusals first, and then the busiest accounts, each with its
// tables, ranges and hot partitions.

import type { Command } from 'commander';
import { describePattern } from '../advisor/pattern-rules.ts';
import type {
  AccountReport,
  CapacityReport,
  HotPartitionReport,
  RangeReport,
  TableReport,
} from '../capacity/capacity-report.ts';
import type { ThrottleMode } from '../capacity/capacity-settings.ts';
import { describeBriefly, quoteKey } from '../capacity/describe-refusals.ts';
import type { RefusalSecond } from '../capacity/refusal-journal.ts';
import { dayMs } from '../settings/setting.ts';
import { askEmulator, askText, type ControlAddress } from './ask-emulator.ts';
import { clip, columnsOf, wrap } from './columns.ts';
import type { CommandContext } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { flagOf } from './setting-flags.ts';
import { standardOutput } from './standard-output.ts';
import { readTraffic } from './traffic-rates.ts';
import { type FrameOptions, type LoadReading, watchLoad } from './watch-load.ts';

const help = `
Loads are averages over the last ten seconds. Requests, errors and latencies are
counted since the last frame. If the output is a file or a pipe, top prints one
frame. If the emulator ends, top waits until an emulator runs at that address
again. The key q ends top. The exit code is 1 if the emulator does not answer at
the start, or refuses.

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

const interval = {
  kind: 'positive number',
  flag: '--interval <seconds>',
  unit: 'ms',
  max: dayMs,
  default: 1_000,
  help: 'redraw after this time',
} as const;

export interface TopFlags extends ControlFlags {
  readonly json?: true;
  readonly once?: true;
  /** Milliseconds. */
  readonly interval: number;
}

/** `tanzanite top` */
export function addTop(command: Command, { environment }: CommandContext): void {
  addControlFlags(command)
    .summary('show the load against the targets of the service')
    .description('show the load on a running emulator, compared with the targets of the service')
    .option('--once', 'print one frame and exit')
    .option('--json', 'print the report as JSON and exit')
    .addOption(flagOf(interval))
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: TopFlags) => showLoad(readControlAddress(flags, environment), flags));
}

/** Enough for twenty accounts of a hundred tables of 128 ranges each. */
const reportBytesMax = 67_108_864;
const question = { method: 'GET', path: 'capacity', expects: 'accounts', answerBytesMax: reportBytesMax } as const;
const metrics = { method: 'GET', path: 'metrics' } as const;

/** Prints the capacity report. On a terminal, prints it repeatedly. Throws NoAnswer. */
export async function showLoad(
  emulator: ControlAddress,
  { json, once, interval: intervalMs }: TopFlags,
): Promise<void> {
  const stdout = standardOutput();
  if (stdout.isTTY === true && !once && !json) return watchLoad({ readFrame: () => readFrame(emulator), intervalMs });
  const report = await readReport(emulator);
  stdout.write(`${json ? JSON.stringify(report, undefined, 2) : renderCapacity(report, pipeSize)}\n`);
}

const readReport = async (emulator: ControlAddress): Promise<CapacityReport> =>
  (await askEmulator(question, emulator)) as unknown as CapacityReport;

/** Reads the traffic, and the load that is drawn below it. */
async function readFrame(emulator: ControlAddress): Promise<LoadReading> {
  const report = await readReport(emulator);
  const traffic = readTraffic(await askText(metrics, emulator));
  return { traffic, render: (size) => renderCapacity(report, size) };
}

const pipeSize: FrameOptions = { columns: 200, rows: Number.POSITIVE_INFINITY };

/** A line of a frame. If the window is too small, the lines with the lowest rank are left out. */
interface Line {
  readonly text: string;
  /** The load in the line as a share of its target, plus 1 if requests were refused. */
  readonly rank: number;
}

interface Frame extends FrameOptions {
  readonly report: CapacityReport;
}

const accountsMax = 3;
const tablesMax = 5;
const rangesMax = 6;
const partitionsMax = 8;

/** A smaller window has shorter bars and shows fewer seconds of refusals. */
const wideColumns = 100;
const tallRows = 30;

/** The rank of lines that are left out last. */
const always = Number.MAX_VALUE;

/** Renders a report as plain text that fits the window. */
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
  const limits = `account ${number(targets.account)}, range ${number(targets.range)}, partition ${number(targets.partition)}`;
  return [
    ...wrap(`throttle ${throttle} · scale ${scale} · ${limits}: targets in units of 1 KiB a second`, frame.columns).map(
      shown,
    ),
    ...refusalLines(frame).map(shown),
    ...(busiest.length === 0 ? ['', 'no requests yet'].map(shown) : []),
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

function refusalLines({ report: { throttle, recentRefusals }, columns, rows }: Frame): string[] {
  if (recentRefusals.length === 0) return ['no refusals'];
  return [
    throttle === 'enforce' ? 'refused, or ended early:' : 'production would have refused, or ended early:',
    ...recentRefusals.slice(0, rows < tallRows ? 3 : 5).map((second) => refusalLine(second, columns)),
  ];
}

function refusalLine(second: RefusalSecond, columns: number): string {
  const [text, requests] = describeBriefly(second);
  return `${clip(`${String(second.secondsAgo).padStart(3)} s ago  ${text}`, columns - columnsOf(requests))}${requests}`;
}

function accountLines(account: AccountReport, frame: Frame): Line[] {
  const { unitsPerSecond, waiting, tables, hotPartitions, tablesLeftOut } = account;
  const { throttle, targets } = frame.report;
  const shownTables = tables.slice(0, tablesMax);
  const hidden = tablesLeftOut + tables.length - shownTables.length;
  const warm = hotPartitions.filter(isWarm).slice(0, partitionsMax);
  const partitionsOf = (name: string): HotPartitionReport[] => warm.filter(({ table }) => table === name);
  const loaded = `${bar('account', { unitsPerSecond, ofTarget: unitsPerSecond / targets.account }, frame)}  ${account.account}`;
  const head = `${loaded.trimStart()}${waiting > 0 ? `, ${waiting} waiting` : ''}`;
  const soFar = describeSoFar(account, throttle);
  const isRoom = columnsOf(head) + columnsOf(soFar) + 2 <= frame.columns;
  return [
    shown(''),
    ...(soFar === '' ? [head] : isRoom ? [`${head}; ${soFar}`] : [head, `  ${soFar}`]).map(shown),
    ...shownTables.flatMap((table) => tableLines(table, partitionsOf(table.table), frame)),
    ...(hidden > 0 ? [{ text: `  … and ${count(hidden, 'more table')}`, rank: 0 }] : []),
    ...warm
      .filter(({ table }) => !shownTables.some((shown) => shown.table === table))
      .map((partition) => partitionLine(partition, frame)),
  ];
}

/** "so far 863 would be refused and 39 pages cut", counted since the first request to the account. */
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

function tableLines(
  { table, unitsPerSecond, keyPattern, ranges, splits, merges }: TableReport,
  partitions: readonly HotPartitionReport[],
  frame: Frame,
): Line[] {
  const changes = splits + merges > 0 ? `, ${count(splits, 'split')}, ${count(merges, 'merge')}` : '';
  const pattern = describePattern(keyPattern);
  const busy = ranges.toSorted((a, b) => rankOf(b) - rankOf(a)).slice(0, rangesMax);
  const lines = [
    ...ranges.filter((range) => busy.includes(range)).map((range) => rangeLine(range, frame)),
    ...partitions.map((partition) => partitionLine(partition, frame)),
  ];
  return [
    {
      text: `  table ${table}: ${number(unitsPerSecond)}/s in ${count(ranges.length, 'range')}${changes}${pattern === undefined ? '' : `, ${pattern}`}`,
      // At least the rank of its ranges and partitions, so that none is shown without its table.
      rank: Math.max(0, ...lines.map(({ rank }) => rank)),
    },
    ...lines,
  ];
}

function rangeLine(range: RangeReport, frame: Frame): Line {
  const remarks = [
    ...describeRefused(range.refused, frame.report.throttle),
    ...(range.isMoving ? ['moving'] : []),
    ...(range.isLone ? ['cannot split'] : []),
  ];
  const bounds = `from ${quoteKey(range.from)}${range.before === null ? '' : ` before ${quoteKey(range.before)}`}`;
  return { text: besideBar(bar('range', range, frame), { subject: bounds, remarks, frame }), rank: rankOf(range) };
}

const isWarm = ({ ofTarget, refused }: HotPartitionReport): boolean => ofTarget >= 0.01 || refused > 0;

function partitionLine(partition: HotPartitionReport, frame: Frame): Line {
  const { table, partitionKey, refused } = partition;
  const remarks = describeRefused(refused, frame.report.throttle);
  const subject = `${quoteKey(partitionKey)} of ${table}`;
  return { text: besideBar(bar('partition', partition, frame), { subject, remarks, frame }), rank: rankOf(partition) };
}

const describeRefused = (refused: number, throttle: ThrottleMode): string[] =>
  refused > 0 ? [`${number(refused)}${would(throttle)} refused`] : [];

const would = (throttle: ThrottleMode): string => (throttle === 'enforce' ? '' : ' would be');

const rankOf = ({ ofTarget, refused }: Pick<RangeReport, 'ofTarget' | 'refused'>): number =>
  ofTarget + (refused > 0 ? 1 : 0);

/** Clips the subject, not the remarks, if a line is too long for the window. */
function besideBar(
  start: string,
  { subject, remarks, frame }: { readonly subject: string; readonly remarks: readonly string[]; readonly frame: Frame },
): string {
  const end = remarks.map((text) => `, ${text}`).join('');
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
