import { describe, expect, it } from 'vitest';
import { readOptions } from '../../../src/library/read-options.ts';
import {
  type Contradiction,
  contradictions,
  isNeeds,
  type SettingName,
  type SettingUse,
} from '../../../src/settings/contradictions.ts';
import { namesOf } from '../../../src/settings/setting-names.ts';
import { commandLineRows, optionRows } from '../../../src/settings/settings-table.ts';
import { readStart } from '../cli/read-start.ts';

/** Values for settings that accept only certain values, as options of the library and as arguments. */
const values: Readonly<Partial<Record<SettingName, string | number | object>>> = {
  store: 'postgres://user@database/tables',
  storeSecondary: 'postgres://user@standby/tables',
  location: 'folder',
  seed: 'fixtures',
  seedAlways: 'fixtures',
  durability: 'power',
  replicaLagMs: 1000,
  httpsName: 'name',
  httpsDir: 'folder',
  httpsAuthority: 'authority.pem',
  tls: { cert: 'PEM', key: 'PEM' },
  cert: 'cert.pem',
  key: 'key.pem',
  pwd: 'text',
  oauth: 'verify',
  oauthKeys: 'keys.json',
  roleAssignments: 'roles.json',
  identityPrincipals: 'principals.json',
};

const rows = { ...optionRows, ...commandLineRows };
const needed: Readonly<Partial<Record<SettingName, SettingName>>> = { storeSecondary: 'store', oauthKeys: 'oauth' };

/**
 * Returns the settings that cause a contradiction. Adds settings that these settings need, for example the database of
 * a standby, so that there is no second contradiction.
 */
function usesOf({ use, counterpart }: Contradiction): readonly SettingUse[] {
  const uses = isNeeds(counterpart) ? [use] : [use, counterpart];
  return uses.flatMap(({ setting, ...rest }) => {
    const other = isNeeds(counterpart) ? undefined : needed[setting];
    return [{ setting, ...rest }, ...(other === undefined ? [] : [{ setting: other }])];
  });
}

function wordsOf({ setting, value: only }: SettingUse): string[] {
  const value = only ?? values[setting];
  const row = rows[setting];
  const { flag, opposite, isNegative } = namesOf('flag' in row ? row.flag : '');
  if (typeof value === 'boolean') return [value === isNegative ? opposite : flag];
  return [`${flag}=${setting === 'replicaLagMs' ? 1 : value}`];
}

async function onCommandLine(found: Contradiction): Promise<string> {
  try {
    const { notices } = await readStart(...usesOf(found).flatMap(wordsOf));
    return notices.length > 0 ? 'notice' : 'accept';
  } catch {
    return 'refuse';
  }
}

function inLibrary(found: Contradiction): string {
  const warnings: string[] = [];
  const log = { info: () => undefined, error: () => undefined, warn: (_: object, line: string) => warnings.push(line) };
  const given = usesOf(found).map(({ setting, value = values[setting] }) => [setting, value] as const);
  try {
    readOptions({ ...Object.fromEntries(given), log });
    return warnings.length > 0 ? 'notice' : 'accept';
  } catch {
    return 'refuse';
  }
}

const nameOf = ({ use, counterpart }: Contradiction): string => {
  const describe = ({ setting, value }: SettingUse): string => (value === undefined ? setting : `${setting} ${value}`);
  const other = isNeeds(counterpart) ? `none of ${counterpart.map(describe).join(', ')}` : describe(counterpart);
  return `${describe(use)} with ${other}`;
};
const titled = contradictions.map((found) => ({ name: nameOf(found), found }));
const isFlag = ({ setting }: SettingUse): boolean => 'flag' in rows[setting];
const isOption = ({ setting }: SettingUse): boolean => setting in optionRows;

describe('Settings that contradict each other', () => {
  it.each(titled.filter(({ found }) => usesOf(found).every(isFlag)))(
    'on the command line have the verdict of the table: $name',
    async ({ found }) => {
      expect(await onCommandLine(found)).toBe(found.commandLine ?? 'accept');
    },
  );

  it.each(titled.filter(({ found }) => usesOf(found).every(isOption)))(
    'in the library have the verdict of the table: $name',
    ({ found }) => {
      expect(inLibrary(found)).toBe(found.library ?? 'accept');
    },
  );

  it('have no verdict of the library for settings that it does not have', () => {
    const others = contradictions.filter((found) => !usesOf(found).every(isOption));
    expect(others.filter(({ library }) => library !== undefined)).toEqual([]);
    expect(others).not.toEqual([]);
  });

  it('are all accepted if only one of them is given', async () => {
    for (const { use, counterpart } of contradictions) {
      if (isNeeds(counterpart) || needed[use.setting] !== undefined) continue;
      expect((await readStart(...wordsOf(use))).notices).toEqual([]);
    }
  });
});
