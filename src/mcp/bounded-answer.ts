// Prepares the result of a tool for an assistant. The texts in entities and requests are not trusted. Therefore they
// appear only in JSON strings, without invisible characters, and their length is bounded. Secrets are removed before a
// text is shortened.

import { escapeControls } from '../model/printable-text.ts';

/** The maximum length of a value of an entity, or of a key. */
export const valueCharsMax = 200;
/** The maximum length of a sentence of the emulator, or of a filter. */
const sentenceCharsMax = 1_000;
/** The maximum size of an answer as it is sent. */
export const answerBytesMax = 65_536;
/** Room for the message of the protocol around the answer, and for the note that it was cut. */
const envelopeBytes = 1_024;

/** Members that hold a sentence of the emulator or a filter. */
const sentenceMembers = new Set([
  ...[
    'advice',
    'bounds',
    'description',
    'detail',
    'evidence',
    'filter',
    'hints',
    'message',
    'note',
    'pattern',
    'question',
  ],
  ...['reason', 'residual', 'sentence', 'text', 'url', 'warning', 'why'],
]);

/** Members that hold entities. Names inside an entity are names of properties and have no meaning here. */
const dataMembers = new Set(['entities', 'entity', 'examples']);

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export type Mask = (text: string) => string;

/**
 * Returns a copy of a value. The JSON of the copy has a maximum length. If the value is too long, arrays and objects
 * are cut, and `omitted` counts the values that are left out.
 */
export function boundAnswer(found: object, mask: Mask): object {
  const filling = new Filling(answerBytesMax - envelopeBytes, mask);
  const taken = filling.take(JSON.parse(JSON.stringify(found)) as Json, whole) as Record<string, Json>;
  return filling.omitted === 0 ? taken : { ...taken, omitted: filling.omitted, note: cutNote };
}

const cutNote = 'The answer was cut at 64 KiB; `omitted` counts the values that are left out. Ask for fewer at a time.';

/** The context of a value. */
interface Place {
  readonly charsMax: number;
  /** Whether the value is a part of an entity. */
  readonly isData: boolean;
}

const whole: Place = { charsMax: valueCharsMax, isData: false };

function placeOf(member: string, place: Place): Place {
  if (place.isData) return place;
  if (dataMembers.has(member)) return { charsMax: valueCharsMax, isData: true };
  return sentenceMembers.has(member) ? { ...place, charsMax: sentenceCharsMax } : place;
}

/**
 * Copies values while there is room. Every text counts twice, because the answer contains all values twice: as JSON
 * values, and as one text.
 */
class Filling {
  omitted = 0;
  #left: number;
  readonly #mask: Mask;

  constructor(bytes: number, mask: Mask) {
    this.#left = bytes;
    this.#mask = mask;
  }

  /** The value, cut to the room that is left; undefined if there is no room for a single value. */
  take(value: Json, place: Place): Json | undefined {
    if (Array.isArray(value)) return this.#takeList(value, place);
    if (typeof value === 'object' && value !== null) return this.#takeMembers(value as Members, place);
    const clean = typeof value === 'string' ? cleanText(value, place.charsMax, this.#mask) : value;
    const cost = costOf(clean);
    if (cost > this.#left) return undefined;
    this.#left -= cost;
    return clean;
  }

  /** Every element after the first is taken completely or not at all. */
  #takeList(values: readonly Json[], place: Place): Json[] {
    const taken: Json[] = [];
    this.#left -= bracketsCost;
    for (const value of values) {
      const [left, omitted] = [this.#left - commaCost, this.omitted];
      this.#left = left;
      const one = left > 0 ? this.take(value, place) : undefined;
      const isPart = this.omitted > omitted && taken.length > 0;
      if (one === undefined || isPart) {
        this.#left = isPart ? left : this.#left;
        this.omitted = omitted + values.length - taken.length;
        break;
      }
      taken.push(one);
    }
    return taken;
  }

  #takeMembers(value: Members, place: Place): Members {
    // The object has no prototype, because a property of an entity may have any name, such as `__proto__`.
    const taken: Record<string, Json> = Object.create(null);
    this.#left -= bracketsCost;
    for (const [given, one] of Object.entries(value)) {
      const name = unusedName(cleanText(given, valueCharsMax, this.#mask), taken);
      const left = this.#left;
      this.#left -= costOf(name) + commaCost;
      const member = this.#left > bracketsCost ? this.take(one, placeOf(given, place)) : undefined;
      if (member === undefined) {
        this.#left = left;
        this.omitted += 1;
      } else taken[name] = member;
    }
    return taken;
  }
}

type Members = { readonly [name: string]: Json };

/** Adds a number to a name that another member has: cut or masked names may be equal. */
function unusedName(name: string, taken: Members): string {
  let unused = name;
  for (let number = 2; Object.hasOwn(taken, unused); number++) unused = `${name} (${number})`;
  return unused;
}

/** Characters of a pair of brackets, and of a comma, each counted twice. */
const [bracketsCost, commaCost] = [4, 4];

function costOf(value: Json): number {
  const json = JSON.stringify(value);
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json)) - 2;
}

/** The part of a text that is read. It is long enough to recognize a secret that begins in the shown part. */
const readCharsMax = 4_096;

function cleanText(text: string, charsMax: number, mask: Mask): string {
  const read = text.length > readCharsMax ? text.slice(0, readCharsMax) : text;
  const visible = escapeControls(mask(read));
  const shown = charsMax > valueCharsMax ? shortenQuoted(visible) : visible;
  if (shown.length <= charsMax && read.length === text.length) return shown;
  return cutEnd(shown, charsMax, text.length);
}

/**
 * Matches a mark that opens a quoted text. An apostrophe opens a literal in a filter or a key; in an address, the
 * apostrophe may be percent-encoded. An apostrophe after a letter is part of a word, unless the letters before it are
 * the type of a literal, such as `guid`.
 */
const quoteMark = /"|(?:(?<![a-z])|(?<=\b(?:binary|datetime|guid|x)))'|%27/gi;
/** The text between two marks. A mark that is doubled, or follows a backslash, is part of the text. */
const quotedBy = {
  '"': /(?:[^"\\]|\\.)*/sy,
  "'": /(?:[^']|'')*/sy,
  '%27': /(?:[^%]|%(?!27)|%27%27)*/sy,
};

/** A filter at the end of a message of the service, including its apostrophes. */
const echoed = /(?<=\bin ').+(?='\.?$)/s;

const shortened = (text: string): string =>
  text.length > valueCharsMax ? cutEnd(text, valueCharsMax, text.length) : text;

/** Shortens texts in quotation marks inside a sentence, because they are values. */
function shortenQuoted(given: string): string {
  const sentence = given.replace(echoed, shortened);
  let shown = '';
  let from = 0;
  for (;;) {
    quoteMark.lastIndex = from;
    const [mark] = quoteMark.exec(sentence) ?? [];
    if (mark === undefined) return shown + sentence.slice(from);
    const start = quoteMark.lastIndex;
    const quoted = quotedBy[mark as keyof typeof quotedBy];
    quoted.lastIndex = start;
    const [inside = ''] = quoted.exec(sentence) ?? [];
    const end = start + inside.length;
    shown += `${sentence.slice(from, start)}${shortened(inside)}${sentence.slice(end, end + mark.length)}`;
    from = end + mark.length;
  }
}

/** The beginning of a text, with a note of its length; together at most `charsMax`. */
function cutEnd(text: string, charsMax: number, length: number): string {
  const note = `… ${length} characters in all`;
  const kept = text.slice(0, charsMax - note.length);
  // Does not cut between the halves of a surrogate pair.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}${note}`;
}
