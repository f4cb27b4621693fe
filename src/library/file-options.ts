/** Options of `emulator.seed()`. */
export interface SeedOptions {
  /** The account with the tables. Default: the first. */
  readonly account?: string;
}

/** Options of `emulator.export()`. */
export interface ExportOptions extends SeedOptions {
  /** Names of tables, not case-sensitive. Default: all. */
  readonly tables?: readonly string[];
  /** Default `ndjson`. */
  readonly format?: 'ndjson' | 'csv' | 'json';
  /** Whether to remove files that earlier exports wrote for tables that no longer exist. Default false. */
  readonly clean?: boolean;
}

/** What `emulator.export()` wrote. */
export interface ExportSummary extends FileSummary {
  /**
   * Files in the folder that this export did not write, but that `emulator.seed()` would read: files of tables that no
   * longer exist, or files of a table in another format.
   */
  readonly obsolete: readonly string[];
  /**
   * Files that the export removed; absent if `clean` is not set. The export removes only files that are empty or begin
   * with an entity.
   */
  readonly removed?: readonly string[];
}

/** The tables that were read or written, and the number of entities in each. */
export interface FileSummary {
  readonly tables: readonly { readonly name: string; readonly entities: number }[];
}

const members = {
  seed: ['account'],
  export: ['account', 'tables', 'format', 'clean'],
} as const;

/** Throws TypeError for an invalid option, because a misspelt name must not select everything. */
export function readFileOptions(method: keyof typeof members, given: ExportOptions): ExportOptions {
  const refuse = (what: string): never => {
    throw new TypeError(`${method}: ${what}`);
  };
  if (typeof given !== 'object' || given === null) return refuse('the options must be an object');
  const names: readonly string[] = members[method];
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) refuse(`there is no option ${unknown}; the options are ${names.join(', ')}`);
  const { account, tables, format, clean } = given;
  if (account !== undefined && !isText(account)) refuse('account must be a name');
  if (tables !== undefined && !(Array.isArray(tables) && tables.every(isText)))
    refuse('tables must be a list of names');
  if (clean !== undefined && typeof clean !== 'boolean') refuse('clean must be true or false');
  if (format !== undefined && !['ndjson', 'csv', 'json'].includes(format)) refuse('format must be ndjson, csv or json');
  return given;
}

/** The paths as a list. Throws TypeError if there is none, or one is not a text. */
export function readPaths(path: string | readonly string[]): readonly string[] {
  const paths: readonly unknown[] = Array.isArray(path) ? path : [path];
  if (paths.length > 0 && paths.every(isText)) return paths;
  throw new TypeError('the path must be a text, or a list of texts');
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
