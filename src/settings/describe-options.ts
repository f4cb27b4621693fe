import type { SettingReport } from '../model/setting-report.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import type { Setting } from './setting.ts';
import { optionRows, settingGroups } from './settings-table.ts';

type Values = Readonly<Record<string, unknown>>;

/** The settings of an emulator in a process of its user: `settings` with the defaults, `given` as it was called. */
export function describeOptions(settings: object, given: EmulatorOptions): SettingReport[] {
  const known: Readonly<Record<string, Setting>> = optionRows;
  return settingGroups.flatMap(({ heading, rows }) =>
    Object.entries(rows).flatMap(([name, row]) =>
      known[name] === row
        ? describe(row, { heading, name, value: valueIn(settings, name), given: valueIn(given, name) })
        : [],
    ),
  );
}

const valueIn = (values: object, name: string): unknown => (values as Values)[name];

interface Place {
  readonly heading: string;
  readonly name: string;
  readonly value: unknown;
  readonly given: unknown;
}

function describe(row: Setting, { heading, name, value, given }: Place): SettingReport[] {
  if (row.kind === 'group') {
    return Object.entries(row.members).flatMap(([member, inner]) =>
      describe(inner, {
        heading,
        name: `${name}.${member}`,
        value: valueIn((value ?? {}) as object, member),
        given: valueIn((given ?? {}) as object, member),
      }),
    );
  }
  const from = given === undefined ? ({ kind: 'default' } as const) : ({ kind: 'option', name } as const);
  return [{ group: heading, name, value: shownValue(row, value ?? given), from, help: row.help }];
}

/** No key, token or certificate. */
function shownValue(row: Setting, value: unknown): SettingReport['value'] {
  if (value === undefined) return null;
  if (row.kind === 'text' && row.isSecret) return row.shown?.(String(value)) ?? '(secret)';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((item: { readonly name?: string }) => item.name ?? '').join(', ');
  return '(given)';
}
