// CSV after RFC 4180.

/** One record with its line end. An absent cell is empty, an empty text is in quotation marks. */
export function csvRecord(cells: readonly (string | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
