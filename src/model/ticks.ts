// The service's unit of time: 100-nanosecond ticks since 0001-01-01T00:00:00Z, as in .NET's DateTime. A JavaScript Date
// would lose the last four digits, so Date is used only for calendar arithmetic.

/** 100-ns ticks since 0001-01-01T00:00:00Z. */
export type Ticks = bigint;

export const ticksPerSecond = 10_000_000;
const unixEpochSeconds = 62_135_596_800;
const unixEpochTicks = BigInt(unixEpochSeconds) * BigInt(ticksPerSecond);

/** The first Edm.DateTime, 1601-01-01. Evidence: documented (Understanding the Table Service Data Model). */
export const dateTimeTicksMin: Ticks = 504_911_232_000_000_000n;
/** 9999-12-31T23:59:59.9999999, the last .NET DateTime. */
export const ticksMax: Ticks = 3_155_378_975_999_999_999n;
const secondsMax = 315_537_897_599;
/** 9999-12-31T00:00:00. */
export const lastDayTicks: Ticks = 3_155_378_112_000_000_000n;
/** The largest zone offset of .NET's DateTimeOffset. */
const offsetMinutesMax = 14 * 60;

export function ticksFromMs(ms: number): Ticks {
  const whole = Math.floor(ms);
  return BigInt(whole) * 10_000n + BigInt(Math.floor((ms - whole) * 10_000)) + unixEpochTicks;
}

/** Whole milliseconds since 1970; further digits are dropped. */
export function msFromTicks(ticks: Ticks): number {
  return Number(ticks / 10_000n - unixEpochTicks / 10_000n);
}

/**
 * Returns the timestamp of a write when the clock shows `ms`. The timestamp is never later than the beginning of the
 * last day that a DateTime can express, so that enough ticks are left for later writes. Evidence: assumed.
 */
export function writeTicksFromMs(ms: number): Ticks {
  const ticks = ticksFromMs(Math.max(ms, -unixEpochSeconds * 1000));
  return ticks > lastDayTicks ? lastDayTicks : ticks;
}

/**
 * Returns the stored timestamp of the last write. If this timestamp is after the year 9999, returns 0, because
 * otherwise no later write would be possible.
 */
export function lastWriteTicks(stored: Ticks): Ticks {
  return stored > ticksMax ? 0n : stored;
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');
const twoDigits: readonly string[] = Array.from({ length: 60 }, (_, value) => pad(value, 2));

/**
 * Formats a moment in whole seconds. A moment before the year 1 becomes the first second of the year 1, and a moment
 * after the year 9999 becomes the last second of the year 9999, so that every stored value can be read.
 */
function formatSeconds(secondsSinceYearOne: number): string {
  const seconds = Math.min(Math.max(secondsSinceYearOne, 0), secondsMax);
  const date = new Date((seconds - unixEpochSeconds) * 1000);
  const day = `${pad(date.getUTCFullYear(), 4)}-${twoDigits[date.getUTCMonth() + 1]}-${twoDigits[date.getUTCDate()]}`;
  // toISOString takes two and a half times as long.
  return `${day}T${twoDigits[date.getUTCHours()]}:${twoDigits[date.getUTCMinutes()]}:${twoDigits[date.getUTCSeconds()]}`;
}

function trimmedFraction(fraction: number): string {
  // Adding a leading 1 and removing it again is faster than padding.
  return fraction === 0 ? '' : trimmedDigits(String(fraction + ticksPerSecond).slice(1));
}

function trimmedDigits(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return end === 0 ? '' : `.${digits.slice(0, end)}`;
}

/**
 * Formats a moment as `2024-05-01T10:00:01.123456Z`, without trailing zeros. `seconds` are the whole seconds since
 * 0001-01-01, and `fraction` is the number of remaining ticks. Evidence: recorded (`.283000` is read back as `.283Z`,
 * and a whole second as `…:00Z`).
 */
export type MomentFormat = (seconds: number, fraction: number) => string;

export function createMomentFormat(): MomentFormat {
  const format = createSecondFormat();
  return (seconds, fraction) => `${format(seconds)}${trimmedFraction(fraction)}Z`;
}

/** Like createMomentFormat, but the ticks beyond the second are given as a text of seven digits. */
export function createMomentTextFormat(): (seconds: number, digits: string) => string {
  const format = createSecondFormat();
  return (seconds, digits) => `${format(seconds)}${trimmedDigits(digits)}Z`;
}

/**
 * Returns a function that caches the texts of the last day and the last second, because the entities of a page were
 * usually written within a few seconds.
 */
function createSecondFormat(): (seconds: number) => string {
  let [lastDay, lastSecond] = [-1, -1];
  let [dayText, secondText] = ['', ''];
  return (wanted) => {
    if (wanted === lastSecond) return secondText;
    const seconds = Math.min(wanted, secondsMax);
    const day = Math.floor(seconds / 86_400);
    if (day !== lastDay) {
      dayText = formatSeconds(seconds).slice(0, 11);
      lastDay = day;
    }
    const second = seconds - day * 86_400;
    const hours = twoDigits[Math.floor(second / 3600)];
    const minutes = twoDigits[Math.floor(second / 60) % 60];
    secondText = `${dayText}${hours}:${minutes}:${twoDigits[second % 60]}`;
    lastSecond = wanted;
    return secondText;
  };
}

/** Like `formatTicks`, but faster for moments in the same second or on the same day. */
export function createTicksFormat(): (ticks: Ticks) => string {
  const format = createMomentFormat();
  return (ticks) => format(...split(ticks));
}

function split(ticks: Ticks): [seconds: number, fraction: number] {
  return [Number(ticks / BigInt(ticksPerSecond)), Number(ticks % BigInt(ticksPerSecond))];
}

export function formatTicks(ticks: Ticks): string {
  const [seconds, fraction] = split(ticks);
  return `${formatSeconds(seconds)}${trimmedFraction(fraction)}Z`;
}

/** Always with seven fraction digits, as in the `Time:` of error messages. */
export function formatTicksFull(ticks: Ticks): string {
  const [seconds, fraction] = split(ticks);
  return `${formatSeconds(seconds)}.${pad(fraction, 7)}Z`;
}

/** `MM/dd/yyyy HH:mm:ss`, the form in which the service quotes a DateTime out of range. */
export function formatTicksInvariant(ticks: Ticks): string {
  const text = formatSeconds(split(ticks)[0]);
  return `${text.slice(5, 7)}/${text.slice(8, 10)}/${text.slice(0, 4)} ${text.slice(11)}`;
}

const dateTimePattern =
  /^\s*(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?(?:\.(\d+))?)?)?)?(?:[Zz]|([+-])(\d\d):(\d\d))?\s*$/;

/**
 * Reads an ISO 8601 date and time. The zone is `Z` or an offset; a text without a zone is in UTC. Seconds may be
 * missing, and digits beyond 100 ns are rounded. A day (`2023-01-01`), a month (`2023-01`) or a year without a time
 * means the midnight at its beginning. Returns undefined for any other form, for a date that does not exist, and for a
 * moment outside the years 1 to 9999. Evidence: documented (Understanding the Table Service Data Model); assumed for
 * the forms that no document names: ODataLib adds missing seconds, and then calls XmlConvert.ToDateTime. XmlConvert
 * also accepts a time without a day, and a day without a year, but this function refuses these forms. Offsets of more
 * than 14 hours are refused.
 */
export function parseDateTime(text: string): Ticks | undefined {
  const match = dateTimePattern.exec(text);
  if (!match) return undefined;
  const part = (index: number, missing = 0): number => Number(match[index] ?? missing);
  const [year, month, day, hour, minute, second] = [part(1), part(2, 1), part(3, 1), part(4), part(5), part(6)];
  if (hour > 23 || minute > 59 || second > 59 || year < 1) return undefined;
  const date = new Date(startOfDay(year, month, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = part(9) * 60 + part(10);
  if (part(10) > 59 || offset > offsetMinutesMax) return undefined;
  const seconds = BigInt(date.getTime() / 1000 + unixEpochSeconds + hour * 3600 + minute * 60 + second);
  const local = seconds * BigInt(ticksPerSecond) + (match[7] === undefined ? 0n : roundedFraction(match[7]));
  const ticks = local - BigInt(match[8] === '-' ? -offset : offset) * ticksPerMinute;
  return local > ticksMax || ticks < 0n || ticks > ticksMax ? undefined : ticks;
}

const ticksPerMinute = 60n * BigInt(ticksPerSecond);

/**
 * Converts the digits after the point into ticks. Half a tick is rounded to an even number of ticks. Evidence: assumed
 * (.NET's XmlConvert).
 */
function roundedFraction(digits: string): bigint {
  const ticks = BigInt(digits.slice(0, 7).padEnd(7, '0'));
  if (digits.length <= 7) return ticks;
  const [next, others] = [digits.charCodeAt(7), digits.slice(8)];
  const isHalf = next === five && !/[1-9]/.test(others);
  return isHalf ? ticks + (ticks & 1n) : next < five ? ticks : ticks + 1n;
}

const five = 0x35;

/** The start of a day, in milliseconds since 1970. Date.UTC would take the years 0 to 99 for 1900 to 1999. */
function startOfDay(year: number, month: number, day: number): number {
  return year > 99 ? Date.UTC(year, month - 1, day) : new Date(0).setUTCFullYear(year, month - 1, day);
}
