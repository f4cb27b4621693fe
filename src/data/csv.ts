// CSV after RFC 4180.

/** One record with its line end. An absent cell is empty, an empty text is in quotation marks. */
export function csvRecord(cells: readonly (string | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const quotedCell = /"((?:[^"]|"")*)"(,|$)/y;

/** The cells of one record without its line end; undefined where a quotation mark stands at the wrong place. */
export function readCsvRecord(text: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    if (text[at] === '"') {
      quotedCell.lastIndex = at;
      const [all, body, end] = quotedCell.exec(text) ?? [];
      if (all === undefined || body === undefined) return undefined;
      cells.push(body.replaceAll('""', '"'));
      at += all.length;
      if (end === '') return cells;
    } else {
      const comma = text.indexOf(',', at);
      const cell = text.slice(at, comma === -1 ? undefined : comma);
      if (cell.includes('"')) return undefined;
      cells.push(cell);
      if (comma === -1) return cells;
      at = comma + 1;
    }
  }
}
