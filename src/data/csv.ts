// CSV according to RFC 4180.

/** The first character of an exported file. Without it, Excel does not read CSV as UTF-8. Readers skip it. */
export const byteOrderMark = '\ufeff';

/** One record with its line end. An absent cell is empty; an empty text becomes "". */
export function csvRecord(cells: readonly (string | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const misplacedMarkText = 'has a quotation mark within a cell: quote such a cell and double the mark';
const loneReturnText = 'has a carriage return outside quotation marks: lines end with LF or CRLF';

const quotedCell = /"((?:[^"]|"")*)"(,|$)/y;

/** The cells of one record without its line end, or what is wrong with it. */
export function readCsvRecord(text: string): readonly string[] | string {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    if (text[at] === '"') {
      quotedCell.lastIndex = at;
      const [all, body, end] = quotedCell.exec(text) ?? [];
      if (all === undefined || body === undefined) return misplacedMarkText;
      cells.push(body.replaceAll('""', '"'));
      at += all.length;
      if (end === '') return cells;
    } else {
      const comma = text.indexOf(',', at);
      const cell = text.slice(at, comma === -1 ? undefined : comma);
      if (cell.includes('"')) return misplacedMarkText;
      // Refused, because a file whose lines end with CR alone would be one long header, and thus an empty table.
      if (cell.includes('\r')) return loneReturnText;
      cells.push(cell);
      if (comma === -1) return cells;
      at = comma + 1;
    }
  }
}
