// The forms in which `tanzanite entity` prints entities, page by page.

import { type Command, Option } from 'commander';
import { csvRecord } from '../data/csv.ts';
import { type EntityRow, entityJson, valueText } from '../data/entity-text.ts';
import { escapeControls } from '../model/printable-text.ts';
import { columnNames, type Layout, layOut, renderEntityLines, renderHeader, renderRow } from './entity-table.ts';
import { type Output, remark } from './standard-output.ts';

export interface FormatFlags {
  readonly json?: true;
  readonly ndjson?: true;
  readonly csv?: true;
}

type Format = 'table' | 'json' | 'ndjson' | 'csv';

export const formatOf = ({ json, ndjson, csv }: FormatFlags): Format =>
  json ? 'json' : ndjson ? 'ndjson' : csv ? 'csv' : 'table';

/** `json` says what --json prints. */
export function addFormatFlags(command: Command, json: string): Command {
  return command
    .optionsGroup('Output:')
    .addOption(new Option('--json', json).conflicts(['ndjson', 'csv']))
    .addOption(new Option('--ndjson', 'print each entity as JSON on its own line').conflicts(['json', 'csv']))
    .addOption(new Option('--csv', 'print CSV with a header, values without types').conflicts(['json', 'ndjson']))
    .optionsGroup('');
}

/** Takes the pages of a result. */
export interface EntityWriter {
  write(rows: readonly EntityRow[]): Promise<void>;
  /** Runs after the last page. */
  end(): Promise<void>;
}

/** `select` names the columns, if the user chose them. */
export function openEntityWriter(format: Format, output: Output, select?: readonly string[]): EntityWriter {
  switch (format) {
    case 'json':
      return jsonWriter(output);
    case 'ndjson':
      return {
        write: (rows) => output.write(rows.map((row) => `${entityJson(row)}\n`).join('')),
        end: async () => undefined,
      };
    case 'csv':
      return csvWriter(output, select);
    case 'table':
      return tableWriter(output, select);
  }
}

/** Prints a single entity. */
export async function printEntity(row: EntityRow, format: Format, output: Output): Promise<void> {
  if (format === 'table') return output.write(renderEntityLines(row, output.columns));
  if (format === 'json') return output.write(`${entityJson(row)}\n`);
  const writer = openEntityWriter(format, output);
  await writer.write([row]);
  return writer.end();
}

function jsonWriter(output: Output): EntityWriter {
  let isFirst = true;
  return {
    async write(rows) {
      const text = rows.map(entityJson).join(',\n');
      if (text !== '') await output.write(`${isFirst ? '[\n' : ',\n'}${text}`);
      if (text !== '') isFirst = false;
    },
    end: () => output.write(isFirst ? '[]\n' : '\n]\n'),
  };
}

/**
 * Returns a writer of CSV lines. The header needs every property name. Without `select`, the names are known only after
 * the last entity, so the writer prints all lines at the end.
 */
function csvWriter(output: Output, select: readonly string[] | undefined): EntityWriter {
  const kept: EntityRow[] = [];
  // A terminal would obey escape sequences; a file only stores them.
  const printable = output.isTerminal ? escapeControls : (text: string): string => text;
  const record = (cells: readonly (string | undefined)[]): string =>
    csvRecord(cells.map((cell) => (cell === undefined ? undefined : printable(cell))));
  const records = (rows: readonly EntityRow[], names: readonly string[]): string =>
    rows.map((row) => record(names.map((name) => textOf(row, name)))).join('');
  let hasHeader = false;
  const header = (names: readonly string[]): string => {
    if (hasHeader) return '';
    hasHeader = true;
    return record(names);
  };
  return {
    async write(rows) {
      if (select) await output.write(header(select) + records(rows, select));
      else kept.push(...rows);
    },
    async end() {
      const names = select ?? columnNames(kept);
      if (names.length > 0) await output.write(header(names) + records(kept, names));
    },
  };
}

function textOf(row: EntityRow, name: string): string | undefined {
  const value = row.get(name);
  return value && valueText(value);
}

/** The first page decides the columns. A page with other properties gets a new header. */
function tableWriter(output: Output, select: readonly string[] | undefined): EntityWriter {
  let layout: Layout | undefined;
  const hidden = new Set<string>();
  const namesIn = ({ columns, hidden }: Layout): string[] => [...columns.map(({ name }) => name), ...hidden];
  return {
    async write(rows) {
      if (rows.length === 0) return;
      const known = layout && namesIn(layout);
      const names = select ?? columnNames(rows, known);
      let header = '';
      if (!layout || names.length > (known ?? []).length) {
        header = layout ? '\n' : '';
        layout = layOut(names, rows, output.columns);
        header += renderHeader(layout);
        for (const name of layout.hidden) hidden.add(name);
      }
      const shown = layout;
      await output.write(header + rows.map((row) => renderRow(row, shown)).join(''));
    },
    async end() {
      if (hidden.size > 0) remark(hiddenText([...hidden]));
    },
  };
}

const hiddenNamesMax = 5;

function hiddenText(names: readonly string[]): string {
  const some = names.slice(0, hiddenNamesMax).join(', ');
  const more = names.length > hiddenNamesMax ? ` and ${names.length - hiddenNamesMax} more` : '';
  return `no room for ${some}${more}: choose columns with --select, or print --json or --csv`;
}
