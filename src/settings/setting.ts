// A setting is a row of data. The following are all derived from this row: the flag, its help, the environment
// variable, the member of the settings file, the library's check of the option, the default, docs/settings.md and the
// JSON schema. A row does not use commander or the library.

interface Row {
  /**
   * The flag in the form that commander reads: `-l, --location <folder>`. Absent if the setting is only an option of
   * the library. The names of the variable and of the member of the settings file are derived from the flag
   * (setting-names.ts).
   */
  readonly flag?: string;
  /** Azurite's variable; it is read if Tanzanite's variable is not set. */
  readonly azuriteVariable?: string;
  /** Whether the setting cannot be in the settings file. */
  readonly isOutsideFile?: true;
  /** What the flag does, for `--help`: an imperative phrase on one line, without a full stop. */
  readonly help: string;
  /** Additional text for the documentation, in complete sentences of Markdown. */
  readonly details?: string;
  /** Describes a default that is not one value. */
  readonly defaultText?: string;
}

/** Values that replace the default if the setting is not given. docs/settings.md has a column for each. */
interface Presets<Value> {
  /** With `--profile strict`, and with `--profile chaos` unless `chaos` is present. */
  readonly strict?: Value;
  /** With `--profile chaos`. */
  readonly chaos?: Value;
  /** In the container image. */
  readonly image?: Value;
}

/** True or false; the flag takes no value. */
export interface Switch extends Row, Presets<boolean> {
  readonly kind: 'switch';
  readonly default?: boolean;
}

interface NumberRow extends Row, Presets<number> {
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
  /** Whether the flag accepts only whole numbers, although the option accepts fractions. */
  readonly isWholeAsFlag?: true;
}

export interface Choice<Value extends string = string> extends Row, Presets<Value> {
  readonly kind: 'choice';
  /** What each value means, for the documentation. */
  readonly choices: Readonly<Record<Value, string>>;
  readonly default?: Value;
}

/** A setting with a text as its value. */
export interface FreeText extends Row, Presets<string> {
  readonly kind: 'text';
  readonly default?: string;
  /** The default of the flag; the library's option has none. */
  readonly flagDefault?: string;
  /** What the text must look like. Without a pattern, any text that is not empty. */
  readonly pattern?: { readonly regex: RegExp; readonly expected: string };
  /** The value is never repeated in a message. */
  readonly isSecret?: true;
  /**
   * Returns the part of a secret that `tanzanite settings` shows, or undefined to show nothing. Without this function,
   * the secret is not shown.
   */
  readonly shown?: (value: string) => string | undefined;
}

/** An object of settings. It is one option of the library, and each of its members may have a flag. */
export interface Group<Members = Readonly<Record<string, Setting>>> extends Omit<Row, 'flag' | 'azuriteVariable'> {
  readonly kind: 'group';
  readonly members: Members;
  /** Whether members may be left out. */
  readonly isPartial: boolean;
}

/** A value that the library and the command line read differently. */
export interface Custom extends Row {
  readonly kind: 'custom';
  /** What the library's option accepts. */
  readonly expected: string;
}

/** An object that is an option of the library and a member of the settings file, and has no flag. */
export interface ObjectSetting extends Omit<Row, 'flag' | 'azuriteVariable'> {
  readonly kind: 'object';
  readonly flag?: never;
  /** Its name in the settings file. */
  readonly member: string;
  /** What it must be, for a message. */
  readonly expected: string;
  /** The JSON schema of the member. */
  readonly schema: object;
  /** Throws an Error that says what is wrong. */
  readonly read: (value: unknown) => object;
}

/** A setting with a single value, which is read from one word. */
export type Scalar = Switch | WholeNumber | PositiveNumber | Choice | FreeText;
export type Setting = Scalar | Group | Custom | ObjectSetting;

type RowFor<Value> = [Value] extends [boolean]
  ? Switch
  : [Value] extends [number]
    ? WholeNumber | PositiveNumber
    : [Value] extends [string]
      ? string extends Value
        ? FreeText
        : Choice<Value>
      : Custom | ObjectSetting | Group<RowsFor<Value>>;

/** The rows for an interface of options: one row for each member, of a kind that fits the member's type. */
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

/** The values of rows that have no interface of options. A value that was not given is absent. */
export type ValuesOf<Rows> = { readonly [Name in keyof Rows]?: ValueOf<Rows[Name]> };

/** Options with their defaults filled in: members with a default are required. */
export type Resolved<Options, Rows> = {
  readonly [Name in keyof Options as Name extends NamesWithDefault<Rows> ? Name : never]-?: Exclude<
    Options[Name],
    undefined
  >;
} & { readonly [Name in keyof Options as Name extends NamesWithDefault<Rows> ? never : Name]?: Options[Name] };

type NamesWithDefault<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly default: unknown } ? Name : never;
}[keyof Rows];

/** The largest duration that a setting accepts. */
export const dayMs = 86_400_000;
