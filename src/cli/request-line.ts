// One request as one line of a terminal: time, status, operation, what it was about, how long it took, and what matters. What is
// long gives way: first the middle of keys and filter, then the end of the reason.

import { developmentAccount } from '../auth/accounts.ts';
import { escapeControls } from '../model/printable-text.ts';
import type { BatchMember, RequestRecord } from '../model/request-record.ts';
import type { ServiceError } from '../model/service-error.ts';
import { isNoteworthy, refusedMember, withoutSignature } from '../model/summarize-request.ts';
import { misspeltKey } from '../query/filter-hint.ts';
import { clip, clipMiddle, columnsOf } from './columns.ts';

export interface LineOptions {
  /** Columns of the terminal; the line has no more. */
  readonly columns: number;
  readonly isColoured: boolean;
  /** Whether ids, bytes and units are added, without regard for `columns`. */
  readonly isDetailed: boolean;
  /** Local time of day: `14:05:01`. */
  readonly time: string;
}

/** Columns that keys or a filter keep beside a long reason. */
const subjectColumnsMin = 12;
const clientTextCharsMax = 2_048;

export function requestLine(record: RequestRecord, { columns, isColoured, isDetailed, time }: LineOptions): string {
  const paint = isColoured ? colour : (text: string) => text;
  const status = String(record.status);
  const operation = record.operation === 'Unknown' ? record.method : record.operation;
  const table = safe(tableOf(record));
  const took = spellMs(record.durationMs);
  const head = [time, status, operation, ...(table === '' ? [] : [table])];
  const free = columns - columnsOf(head.join(' ')) - took.length - 1;
  const { subject, note } = divide(safe(subjectOf(record)), notesOf(record), free);
  const style = styleOf(record);
  const shown = [paint(time, 'dim'), paint(status, style), operation, ...head.slice(3), subject, paint(took, 'dim')];
  const line = shown.filter((part) => part !== '').join(' ');
  const end = note === '' ? '' : `  ${style === 'dim' ? paint(note, style) : note}`;
  return `${line}${end}${isDetailed ? paint(detailsOf(record), 'dim') : ''}`;
}

/** Divides the free columns: a note in the longest form that leaves the subject enough; the shortest form may take all. */
function divide(subject: string, notes: readonly string[], free: number): { subject: string; note: string } {
  const subjectMin = subject === '' ? 0 : Math.min(columnsOf(subject), subjectColumnsMin) + 1;
  const noteMax = free - 2;
  const note = notes.find((text) => columnsOf(text) <= noteMax - subjectMin) ?? clip(notes.at(-1) ?? '', noteMax);
  const left = free - 1 - (note === '' ? 0 : columnsOf(note) + 2);
  return { subject: left < Math.min(columnsOf(subject), 8) ? '' : clipMiddle(subject, left), note };
}

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

/** What matters, in its forms from long to short. */
function notesOf(record: RequestRecord): string[] {
  const { refusal, capacity, plan } = record;
  const waited = capacity && capacity.waitedMs >= 1 ? `waited ${spellMs(capacity.waitedMs)}` : '';
  const member = refusedMember(record.members);
  if (member) return refusalNotes(member.refusal, placeOf(member));
  if (refusal) return refusalNotes(refusal, '');
  if (record.batchWarning) return [safe(record.batchWarning.text)];
  if (record.status === 499) return ['the client disconnected'];
  const scan = plan ? `${plan.kind}, ${count(record.visited)} → ${count(record.returned)}` : '';
  const more = record.givesContinuation ? 'more' : '';
  const hint = (plan && record.filter !== undefined && misspeltKey(record.filter)) || '';
  const beyond = capacity?.limit === undefined ? '' : `beyond the ${capacity.limit} target`;
  const note = [hint, scan, more, waited, beyond].filter((text) => text !== '').join(', ');
  if (hint !== '') return [note, hint];
  return note === '' ? [] : [note];
}

/** Which of the requests of a batch: `change 3 InsertEntity: `. */
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

/** Without what the service puts behind the text. */
const plainMessage = (message: string): string => message.split('\n', 1)[0] ?? '';

function detailsOf({ requestId, clientRequestId, bytesIn, bytesOut, capacity, remoteAddress }: RequestRecord): string {
  const parts = [`id ${requestId}`, ...(clientRequestId === undefined ? [] : [`client ${safe(clientRequestId)}`])];
  return `  ${[...parts, `${bytesIn} B in, ${bytesOut} B out, ${capacity?.units ?? 0} units, from ${remoteAddress}`].join(', ')}`;
}

const safe = (text: string): string => escapeControls(text.slice(0, clientTextCharsMax));

const count = (value: number): string => value.toLocaleString('en-US');

function spellMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 1 ? `${Math.round(ms)} ms` : '<1 ms';
}

type Style = 'dim' | 'yellow' | 'red';

function styleOf(record: RequestRecord): Style {
  if (record.status >= 500) return 'red';
  return isNoteworthy(record) ? 'yellow' : 'dim';
}

/**
 * Select Graphic Rendition: faint, yellow, bold and bright red. Yellow is pale on the white of some terminals, so why a request was
 * refused is in the terminal's own colour.
 */
const codes: Readonly<Record<Style, string>> = { dim: '2', yellow: '33', red: '1;91' };

const colour = (text: string, style: Style): string => `\u001b[${codes[style]}m${text}\u001b[0m`;
