// Numbers and times in the viewer's locale, and text from outside made visible.

import { escapeChar, escapeControls, unsafe } from '../model/printable-text.ts';

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const threeDigits = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** `12,345` */
export const formatNumber = (value: number): string => whole.format(value);
/** `12.3K` */
export const formatShort = (value: number): string => (value < 10_000 ? formatRate(value) : short.format(value));
/** From 100 up without decimals, below with three digits: `0.25`, `1,234`. */
export const formatRate = (value: number): string =>
  value >= 100 ? whole.format(value) : threeDigits.format(Math.abs(value) < 0.005 ? 0 : value);
/** A share as a percentage: 1 is `100%`. */
export const formatPercent = (share: number): string => percent.format(share);

/** `0.4 ms`, `12 ms`, `1.2 s` */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${threeDigits.format(ms)} ms` : `${threeDigits.format(ms / 1000)} s`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let [value, at] = [bytes, 0];
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${threeDigits.format(value)} ${units[at]}`;
}

const spans = [
  { ms: 86_400_000, unit: 'd' },
  { ms: 3_600_000, unit: 'h' },
  { ms: 60_000, unit: 'min' },
  { ms: 1_000, unit: 's' },
] as const;

/** The two largest units of a time: `2 d 3 h`, `20 min`, `5 s`. Less than a second is shown as a duration. */
export function formatSpan(ms: number): string {
  let left = Math.round(ms / 1_000) * 1_000;
  const first = spans.findIndex((span) => left >= span.ms);
  if (first < 0) return formatDuration(ms);
  const parts = spans.slice(first, first + 2).map((span) => {
    const count = Math.floor(left / span.ms);
    left -= count * span.ms;
    return { count, unit: span.unit };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${formatNumber(count)} ${unit}`)
    .join(' ');
}

/** Date and time of ISO text or milliseconds since 1970; the text itself if it is not a date. */
export function formatMoment(when: string | number): string {
  const date = new Date(when);
  return Number.isNaN(date.getTime()) ? String(when) : moment.format(date);
}

export function formatTime(when: string | number): string {
  const date = new Date(when);
  return Number.isNaN(date.getTime()) ? String(when) : timeOfDay.format(date);
}

/** `1 entity`, `2,000 entities` */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

export interface TextPart {
  readonly text: string;
  /** Whether `text` is an escape for one character that would be invisible, or would change how others are shown. */
  readonly isEscape: boolean;
}

/** Text in parts, with an escape such as `\u202e` in place of each invisible character. */
export function visibleParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: char, index } of text.matchAll(unsafe)) {
    if (index > end) parts.push({ text: text.slice(end, index), isEscape: false });
    parts.push({ text: escapeChar(char), isEscape: true });
    end = index + char.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isEscape: false });
  return parts;
}

/** The parts joined to one text. */
export const visibleText = escapeControls;
