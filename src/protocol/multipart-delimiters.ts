// Finds the delimiters of a multipart body. A delimiter is `--boundary` or `--boundary--`. It may start at any byte,
// but only white space may follow it on its line. The search takes time proportional to the length of the body,
// whatever the body contains.

export interface Delimiter {
  /** Where the delimiter starts. */
  readonly at: number;
  /** Where the part before it ends. The line end in between belongs to the delimiter. */
  readonly contentEnd: number;
  /** Where the next line starts, or the end of the body. */
  readonly next: number;
  /** Whether it has the two hyphens of a last delimiter. */
  readonly isLast: boolean;
}

/** The delimiters of one boundary in one body. */
export class DelimiterSearch {
  readonly #body: Buffer;
  /** The boundary with the hyphens before it. */
  readonly #mark: Buffer;
  /**
   * The range and the result of the last search. If the last search found no delimiter, a new search within the same
   * range finds none either. If the last search found a delimiter, a new search that begins between `from` and
   * `found.at` finds the same delimiter.
   */
  #last: { readonly from: number; readonly to: number; readonly found: Delimiter | undefined } | undefined;

  constructor(body: Buffer, boundary: string) {
    this.#body = body;
    this.#mark = Buffer.from(`--${boundary}`, 'latin1');
  }

  /** The first delimiter that starts at or after `from`. The search ends at `to`. */
  firstFrom(from: number, to = this.#body.length): Delimiter | undefined {
    const last = this.#last;
    if (last && from >= last.from && (last.found ? from <= last.found.at : to <= last.to)) return last.found;
    const found = findDelimiter(this.#body, this.#mark, { from, to });
    this.#last = { from, to, found };
    return found;
  }
}

/** Where a delimiter may start, both ends included. */
interface Starts {
  readonly from: number;
  readonly to: number;
}

/**
 * The maximum number of false matches in the native search. After this many, a search by lines takes over. The native
 * search is faster than the search by lines on common bodies, but far slower on a body with many false matches.
 */
const missesMax = 100;

function findDelimiter(body: Buffer, mark: Buffer, { from, to }: Starts): Delimiter | undefined {
  const searched = body.subarray(0, to + mark.length);
  let at = searched.indexOf(mark, from);
  for (let misses = 0; at !== -1 && misses < missesMax; misses++) {
    const delimiter = readDelimiter(body, mark, at);
    if (delimiter !== undefined) return delimiter;
    at = searched.indexOf(mark, at + 1);
  }
  return at === -1 ? undefined : findByLine(body, mark, { from: at, to });
}

/** Only white space may follow a delimiter on its line, so two comparisons at the end of each line suffice. */
function findByLine(body: Buffer, mark: Buffer, { from, to }: Starts): Delimiter | undefined {
  let lineStart = from;
  for (let end = from; end <= body.length && lineStart <= to; end++) {
    if (end < body.length && !isLineEnd(body[end])) continue;
    const textEnd = trimmedEnd(body, lineStart, end);
    // A line could end in both forms. The form with two hyphens starts earlier, so it is tried first.
    for (const at of [textEnd - mark.length - 2, textEnd - mark.length]) {
      const delimiter = at >= lineStart && isMarkAt(body, mark, at) ? readDelimiter(body, mark, at) : undefined;
      if (delimiter !== undefined) return delimiter;
    }
    lineStart = end + 1;
  }
  return undefined;
}

function trimmedEnd(body: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(body[end - 1])) end--;
  return end;
}

function isMarkAt(body: Buffer, mark: Buffer, at: number): boolean {
  for (let i = 0; i < mark.length; i++) if (body[at + i] !== mark[i]) return false;
  return true;
}

const lf = 0x0a;
const cr = 0x0d;
const hyphen = 0x2d;

/**
 * Reads the rest of the line after a mark. Returns undefined if the rest is not blank, because the line is then content
 * and not a delimiter.
 */
function readDelimiter(body: Buffer, mark: Buffer, at: number): Delimiter | undefined {
  let end = at + mark.length;
  const isLast = body[end] === hyphen && body[end + 1] === hyphen;
  if (isLast) end += 2;
  while (isBlank(body[end])) end++;
  if (end < body.length && !isLineEnd(body[end])) return undefined;
  return { at, contentEnd: contentEndBefore(body, at), next: Math.min(nextLine(body, end), body.length), isLast };
}

function contentEndBefore(body: Buffer, at: number): number {
  if (!isLineEnd(body[at - 1])) return at;
  return body[at - 1] === lf && body[at - 2] === cr ? at - 2 : at - 1;
}

/** A line ends with CR LF, LF or CR. Evidence: recorded (CR LF, LF), assumed (CR, as in ODataLib). */
export const isLineEnd = (byte: number | undefined): boolean => byte === lf || byte === cr;

/** The offset after the line end that begins at `end`. */
export const nextLine = (text: Buffer, end: number): number =>
  text[end] === cr && text[end + 1] === lf ? end + 2 : end + 1;

/**
 * Whether a byte is white space within a line: a character of one byte that .NET counts as white space. Evidence:
 * assumed (ODataLib).
 */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0b || byte === 0x0c || byte === 0x85 || byte === 0xa0;
}
