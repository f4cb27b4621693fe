// A setting is a row of data. The flag, its help, the environment variable, the library's check of the option, the default and
// docs/settings.md are all made from it. A row knows nothing of commander or of the library.

interface Row {
  /** As commander takes it: `-l, --location <folder>`. Absent if the setting is an option of the library alone. */
  readonly flag?: string;
  /** The variable that counts if the flag is not given. */
  readonly environment?: string;
  /** What the flag does, for `--help`: an imperative phrase on one line, without a full stop. */
  readonly help: string;
  /** What the documentation adds, in whole sentences of Markdown. */
  readonly details?: string;
  /** The default in words, if it is not one value. */
  readonly defaultText?: string;
}

/** True or false; the flag takes no value. */
export interface Switch extends Row {
  readonly kind: 'switch';
  readonly default?: boolean;
}

interface NumberRow extends Row {
  readonly default?: number;
  /** The default of the library's option, if it differs from the flag's. */
  readonly libraryDefault?: number;
  readonly max: number;
  /** The unit of the option, the default and the bounds. The flag of a setting in `ms` takes seconds. */
  readonly unit?: 'ms' | 'seconds' | 'requests' | 'units a second';
}

/** A whole number. */
export interface WholeNumber extends NumberRow {
  readonly kind: 'whole number';
  readonly min: number;
}

/** A number above 0. */
export interface PositiveNumber extends NumberRow {
  readonly kind: 'positive number';
  /** Whether the flag takes whole numbers only; the option takes fractions. */
  readonly isWholeAsFlag?: true;
}

export interface Choice<Value extends string = string> extends Row {
  readonly kind: 'choice';
  /** What each value means, for the documentation. */
  readonly choices: Readonly<Record<Value, string>>;
  readonly default?: Value;
}

/** Text. */
export interface Text extends Row {
  readonly kind: 'text';
  readonly default?: string;
  /** The default of the flag; the library's option has none. */
  readonly flagDefault?: string;
  /** What the text must look like; any text that is not empty, if there is no pattern. */
  readonly pattern?: { readonly regex: RegExp; readonly expected: string };
  /** A message never repeats the value. */
  readonly isSecret?: true;
}

/** An object of settings: an option of the library as a whole, while each member may have a flag. */
export interface Group<Members = Readonly<Record<string, Setting>>> extends Omit<Row, 'flag' | 'environment'> {
  readonly kind: 'group';
  readonly members: Members;
  /** Whether members may be left out. */
  readonly isPartial: boolean;
}

/** A value that the library and the command line each read in their own way. */
export interface Custom extends Row {
  readonly kind: 'custom';
  /** What the library's option takes. */
  readonly expected: string;
}

/** A setting with one value, read from one word. */
export type Scalar = Switch | WholeNumber | PositiveNumber | Choice | Text;
export type Setting = Scalar | Group | Custom;

type RowFor<Value> = [Value] extends [boolean]
  ? Switch
  : [Value] extends [number]
    ? WholeNumber | PositiveNumber
    : [Value] extends [string]
      ? string extends Value
        ? Text
        : Choice<Value>
      : Custom | Group<RowsFor<Value>>;

/** The rows of an interface of options: one for each member, of a kind that fits its type. */
export type RowsFor<Options> = { readonly [Name in keyof Options]-?: RowFor<Exclude<Options[Name], undefined>> };

type ValueOf<Row> = Row extends { readonly kind: 'switch' }
  ? boolean
  : Row extends { readonly kind: 'whole number' | 'positive number' }
    ? number
    : Row extends { readonly kind: 'choice'; readonly choices: Readonly<Record<infer Value, string>> }
      ? Value
      : Row extends { readonly kind: 'text' }
        ? string
        : never;

/** The values of rows that have no interface of their own, as far as they are given. */
export type ValuesOf<Rows> = { readonly [Name in keyof Rows]?: ValueOf<Rows[Name]> };

/** Options with their defaults filled in: what has a default is there. */
export type Resolved<Options, Rows> = {
  readonly [Name in keyof Options as Name extends NamesWithDefault<Rows> ? Name : never]-?: Exclude<
    Options[Name],
    undefined
  >;
} & { readonly [Name in keyof Options as Name extends NamesWithDefault<Rows> ? never : Name]?: Options[Name] };

type NamesWithDefault<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly default: unknown } ? Name : never;
}[keyof Rows];

export const dayMs = 86_400_000;
