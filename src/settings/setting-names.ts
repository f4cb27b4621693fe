// The names of a setting. All of them are derived from its flag, such as `-l, --location <folder>`, `--tablePort
// <port>` or `--no-explain`.

export interface SettingNames {
  /** `--tablePort`, as shown in the help. */
  readonly flag: string;
  /** `-l` */
  readonly short?: string;
  /** The other spelling of a flag of several words: `--table-port`. */
  readonly otherFlag?: string;
  /** The opposite flag of a switch: `--no-loose` for `--loose`, `--explain` for `--no-explain`. */
  readonly opposite: string;
  /** Name in the settings file: `tablePort` */
  readonly member: string;
  /** `TANZANITE_TABLE_PORT` */
  readonly variable: string;
  /** Placeholder for the value in the help: `port`, `any|file`; empty for a switch. */
  readonly placeholder: string;
  /** Whether the flag turns the setting off, as `--no-explain` does. */
  readonly isNegative: boolean;
}

export const variablePrefix = 'TANZANITE_';

export function namesOf(flag: string): SettingNames {
  const short = /^-\w/.exec(flag)?.[0];
  const name = /--([\w-]+)/.exec(flag)?.[1] ?? '';
  const isNegative = name.startsWith('no-');
  const otherFlag = otherSpelling(`--${name}`);
  return {
    flag: `--${name}`,
    ...(short === undefined ? {} : { short }),
    ...(otherFlag === undefined ? {} : { otherFlag }),
    opposite: isNegative ? `--${name.slice('no-'.length)}` : `--no-${name}`,
    member: asCamel(name),
    variable: `${variablePrefix}${asKebab(name).replaceAll('-', '_').toUpperCase()}`,
    placeholder: /<(.*)>/.exec(flag)?.[1] ?? '',
    isNegative,
  };
}

/** `--tablePort` for `--table-port`, and vice versa; undefined for a flag of one word. */
export function otherSpelling(flag: string): string | undefined {
  const name = flag.slice('--'.length);
  const other = name.includes('-') ? asCamel(name) : asKebab(name);
  return other === name ? undefined : `--${other}`;
}

const asCamel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const asKebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
