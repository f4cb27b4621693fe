// Renders a request as a line for a terminal: time, status, operation, subject, duration and notes. Parts that do not
// fit on this line follow on further lines.

import { developmentAccount } from '../auth/accounts.ts';
import { escapeControls, quote } from '../model/printable-text.ts';
import type { BatchMember, RequestRecord } from '../model/request-record.ts';
import type { ServiceError } from '../model/service-error.ts';
import { isNoteworthy, refusedMember, withoutSignature } from '../model/summarize-request.ts';
import type { Plan } from '../query/plan.ts';
import { filterRemark } from '../query/plan-advice.ts';
import { clip, clipMiddle, columnsOf, wrap } from './columns.ts';

export interface LineOptions {
  /** Columns of the terminal; no line is longer. With Infinity, everything is on one line. */
  readonly columns: number;
  readonly isColoured: boolean;
  /** Whether ids, bytes and units are added, without regard for `columns`. */
  readonly isDetailed: boolean;
  /** Local time of day: `14:05:01`. */
  readonly time: string;
}

const clientTextCharsMax = 2_048;

/**
 * Returns the line of a request. If the terminal is too narrow, the text continues on further lines, which say what was
 * requested and why the request was refused.
 */
export function requestLine(record: RequestRecord, options: LineOptions): string {
  const operation = record.operation === 'Unknown' ? record.method : record.operation;
  const table = safe(tableOf(record));
  const text = eventLine(
    {
      mark: String(record.status),
      style: styleOf(record),
      subject: [operation, table].filter((part) => part !== '').join(' '),
      details: safe(subjectOf(record)),
      took: spellMs(record.durationMs),
      notes: notesOf(record),
    },
    options,
  );
  return options.isDetailed ? text + paintOf(options)(detailsOf(record), 'dim') : text;
}

/** The parts of a line of the log, all safe to print. */
export interface LogEvent {
  /** A status, or a level. */
  readonly mark: string;
  readonly style: Style;
  readonly subject: string;
  /** Keys, or a filter. */
  readonly details?: string;
  readonly took?: string;
  /** One note in several forms, from long to short. The longest form that fits is shown. */
  readonly notes?: readonly string[];
}

/** Renders requests, control plane requests and messages of the capacity model in the same form. */
export function eventLine(
  { mark, style, subject, details = '', took = '', notes = [] }: LogEvent,
  { columns, time, ...options }: Omit<LineOptions, 'isDetailed'>,
): string {
  const paint = paintOf(options);
  const indent = ' '.repeat(time.length + 1);
  const width = columns - indent.length;
  const note = fitting(notes, width * noteLinesMax);
  const plain = (...parts: string[]): number => columnsOf([time, mark, subject, ...parts].filter(isText).join(' '));
  const isDetailsBelow = plain(details, took) > columns;
  const isNoteBelow = isDetailsBelow || plain(details, took) + columnsOf(note) + 2 > columns;
  const head = [paint(time, 'dim'), paint(mark, style), subject, isDetailsBelow ? '' : details, paint(took, 'dim')];
  const shade = (text: string): string => (style === 'dim' && text !== '' ? paint(text, style) : text);
  const below = [
    ...(isDetailsBelow ? wrap(clipMiddle(details, width * detailsLinesMax), width) : []),
    ...(isNoteBelow && note !== '' ? wrap(note, width).map(shade) : []),
  ];
  const first = `${head.filter(isText).join(' ')}${isNoteBelow || note === '' ? '' : `  ${shade(note)}`}`;
  return [first, ...below.map((line) => indent + line)].join('\n');
}

const isText = (part: string): boolean => part !== '';

/** Longer texts are cut: a client chooses how long they are. */
const [detailsLinesMax, noteLinesMax] = [4, 6];

/** The longest form that fits. */
const fitting = (forms: readonly string[], columnsMax: number): string =>
  forms.find((form) => columnsOf(form) <= columnsMax) ?? clip(forms.at(-1) ?? '', columnsMax);

function tableOf({ operation, account, table, members }: RequestRecord): string {
  if (operation === 'Unknown') return '';
  const name = table ?? members[0]?.table ?? '';
  if (account === '' || account === developmentAccount.name) return name;
  return name === '' ? account : `${account}:${name}`;
}

function subjectOf(record: RequestRecord): string {
  const { partitionKey, rowKey, filter, batchSize, operation, url } = record;
  if (batchSize > 0) return `${batchSize} ${batchSize === 1 ? 'request' : 'requests'}`;
  if (partitionKey !== undefined) return `${partitionKey}/${rowKey ?? ''}`;
  if (filter !== undefined) return filter;
  return operation === 'Unknown' ? withoutSignature(url) : '';
}

/** What matters about the request: one note in several forms, from long to short. */
function notesOf(record: RequestRecord): string[] {
  const { refusal, capacity, plan } = record;
  const waited = capacity && capacity.waitedMs >= 1 ? `waited ${spellMs(capacity.waitedMs)}` : '';
  const staged = stagedNote(record);
  if (staged !== undefined) return [staged];
  const member = refusedMember(record.members);
  if (member) return refusalNotes(member.refusal, placeOf(member));
  if (refusal) return refusalNotes(refusal, '');
  if (record.batchWarning) return [safe(record.batchWarning.text)];
  if (record.status === 499) return ['the client disconnected'];
  const scan = plan ? `${plan.kind}, ${count(record.visited)} → ${count(record.returned)}` : '';
  const more = record.givesContinuation ? 'more' : '';
  const hint = filterRemark((plan as Plan | undefined)?.residual, record) ?? '';
  const beyond = capacity?.limit === undefined ? '' : `beyond the ${capacity.limit} target`;
  const note = [hint, scan, more, waited, beyond].filter((text) => text !== '').join(', ');
  if (hint !== '') return [note, hint];
  return note === '' ? [] : [note];
}

/** Names the fault rule that made this response. */
function stagedNote({ fault, refusal, members }: RequestRecord): string | undefined {
  if (!fault) return undefined;
  const code = (refusedMember(members)?.refusal ?? refusal)?.code;
  return safe(`fault ${quote(fault.rule)}: ${fault.kind}${code === undefined ? '' : `, ${code}`}`);
}

/** Names one request of a batch: `change 3 InsertEntity: `. */
const placeOf = ({ index, operation }: BatchMember): string =>
  `change ${index}${operation === 'Unknown' ? '' : ` ${operation}`}: `;

function refusalNotes({ code, message, why }: ServiceError, place: string): string[] {
  const [cause] = why;
  const forms =
    cause === undefined
      ? [`${code}: ${plainMessage(message)}`, code]
      : [`${code}: ${why.join(' ')}`, `${code}: ${cause}`, cause];
  return forms.map((form) => safe(place + form));
}

/** The first line of a message. The service adds further lines after it. */
const plainMessage = (message: string): string => message.split('\n', 1)[0] ?? '';

function detailsOf(record: RequestRecord): string {
  const { requestId, clientRequestId, trace, bytesIn, bytesOut, capacity, remoteAddress } = record;
  const parts = [
    `id ${requestId}`,
    ...(clientRequestId === undefined ? [] : [`client ${safe(clientRequestId)}`]),
    ...(trace === undefined ? [] : [`trace ${trace.traceId}`]),
  ];
  return `  ${[...parts, `${bytesIn} B in, ${bytesOut} B out, ${capacity?.units ?? 0} units, from ${remoteAddress}`].join(', ')}`;
}

const safe = (text: string): string => escapeControls(text.slice(0, clientTextCharsMax));

const count = (value: number): string => value.toLocaleString('en-US');

export function spellMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 1 ? `${Math.round(ms)} ms` : '<1 ms';
}

export type Style = 'dim' | 'yellow' | 'red';

function styleOf(record: RequestRecord): Style {
  if (record.status >= 500) return 'red';
  return isNoteworthy(record) ? 'yellow' : 'dim';
}

/**
 * Escape codes (Select Graphic Rendition): faint; yellow; bold and bright red. The reason for a refusal has the
 * terminal's default colour, because yellow is hard to read on a white terminal.
 */
const codes: Readonly<Record<Style, string>> = { dim: '2', yellow: '33', red: '1;91' };

const paintOf =
  ({ isColoured }: Pick<LineOptions, 'isColoured'>) =>
  (text: string, style: Style): string =>
    isColoured && text !== '' ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;
