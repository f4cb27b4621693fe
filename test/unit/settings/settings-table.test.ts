import { describe, expect, it } from 'vitest';
import { flagRows } from '../../../src/cli/setting-flags.ts';
import type { RowsFor, Setting } from '../../../src/settings/setting.ts';
import { namesOf } from '../../../src/settings/setting-names.ts';
import { defaultWord, isOptionValue, readWord } from '../../../src/settings/setting-values.ts';
import { commandLineRows, optionRows, settingGroups } from '../../../src/settings/settings-table.ts';

// The compiler checks the rows against the interface of the options.
const text = { kind: 'text', help: 'a text' } as const;
// @ts-expect-error: an option without a row does not compile
({}) satisfies RowsFor<{ readonly location?: string }>;
// @ts-expect-error: a row without an option does not compile
({ location: text, port: text }) satisfies RowsFor<{ readonly location?: string }>;
// @ts-expect-error: a row of another kind than its option does not compile
({ port: text }) satisfies RowsFor<{ readonly port?: number }>;
({
  // @ts-expect-error: nor does a choice that lacks a value
  mode: { kind: 'choice', help: 'a mode', choices: { on: 'it is on' } },
}) satisfies RowsFor<{ readonly mode?: 'on' | 'off' }>;

type Rows = Readonly<Record<string, Setting>>;

/** The rows by their names. Rows in groups are included. */
const flatten = (rows: Rows): [name: string, row: Setting][] =>
  Object.entries(rows).flatMap(([name, row]) =>
    row.kind === 'group' ? [[name, row], ...flatten(row.members)] : [[name, row] as [string, Setting]],
  );

const rows = settingGroups.flatMap((group) => flatten(group.rows));
const titled = rows.map(([name, row]) => ({ name, row }));

describe('the table of settings', () => {
  it('has every option of the library and every flag of the command line in one group', () => {
    const names = settingGroups.flatMap((group) => Object.keys(group.rows));
    expect(names.toSorted()).toEqual([...Object.keys(optionRows), ...Object.keys(commandLineRows)].toSorted());
  });

  it('contains each flag and each variable once', () => {
    const flags = settingGroups.flatMap((group) => flagRows(group.rows));
    const names = flags.map(({ flag }) => namesOf(flag));
    const words = names.flatMap(({ short, flag, otherFlag, opposite }) =>
      [short, flag, otherFlag, opposite].filter((word) => word !== undefined),
    );
    const variables = [
      ...names.map(({ variable }) => variable),
      ...flags.flatMap(({ azuriteVariable }) => azuriteVariable ?? []),
    ];
    for (const list of [words, variables, names.map(({ member }) => member)]) expect(list).toEqual([...new Set(list)]);
  });

  it.each(titled)('has one imperative phrase without a full stop as help for $name', ({ row: { help } }) => {
    expect(help).toMatch(/^[a-z][^\n]*[^.\s]$/);
    expect(help.length).toBeLessThanOrEqual(110);
  });

  it.each(titled)('has defaults and presets for $name that the option and the flag accept', ({ row }) => {
    if (row.kind === 'group' || row.kind === 'custom' || row.kind === 'object') return;
    if (row.default !== undefined) expect(isOptionValue(row, row.default)).toBe(true);
    for (const preset of [row.strict, row.chaos, row.image])
      if (preset !== undefined) expect(isOptionValue(row, preset)).toBe(true);
    const word = row.flag === undefined ? undefined : defaultWord(row);
    if (word !== undefined) expect(readWord(row, word)).toBe(row.default ?? word);
  });
});
