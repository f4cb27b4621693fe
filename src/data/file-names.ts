// The formats of the files of tables, and how files are named.

export const fileFormats = ['ndjson', 'csv', 'json'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** The name of the file for a table in a format. */
export const tableFileName = (table: string, format: FileFormat): string => `${table}.${format}`;

export interface NamedFile {
  /** May be an invalid name. */
  readonly table: string;
  readonly format: FileFormat;
}

const endings = /^(.+?)(?:\.typed(?=\.csv$))?\.(ndjson|jsonl|csv|json)$/i;

/**
 * Reads the table and the format from the name of a file. For example, `pets.typed.csv`, a name that Storage Explorer
 * gives, means table `pets` in CSV.
 */
export function readFileName(name: string): NamedFile | undefined {
  const [, table, ending] = endings.exec(name) ?? [];
  if (table === undefined || ending === undefined) return undefined;
  return { table, format: ending.toLowerCase().replace('jsonl', 'ndjson') as FileFormat };
}
