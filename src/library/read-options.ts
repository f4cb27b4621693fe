import { developmentAccount, parseAccounts } from '../auth/accounts.ts';
import type { AccountKeys } from '../model/account-keys.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { ResetTarget } from '../model/reset-target.ts';
import { findContradictions, isNeeds, type SettingUse } from '../settings/contradictions.ts';
import type { EmulatorOptions } from '../settings/emulator-options.ts';
import { nearest } from '../settings/nearest-name.ts';
import { withPresets } from '../settings/presets.ts';
import type { Group, ObjectSetting, Setting } from '../settings/setting.ts';
import { namesOf } from '../settings/setting-names.ts';
import { describeOption, isOptionValue } from '../settings/setting-values.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';
import { optionRows } from '../settings/settings-table.ts';
import type { StartOptions } from './start-options.ts';

/**
 * Reads the settings of an emulator in this process. A JavaScript program is not type-checked, so the options are
 * checked here. Throws TypeError for an unknown option, for an invalid value, and for options that contradict each
 * other. The message never repeats an invalid value.
 */
export function readOptions(given: StartOptions): LibrarySettings {
  if (!isObject(given)) throw optionError('the argument must be an object');
  const { log, onRequest } = given as StartOptions;
  const options = readGroup(
    { kind: 'group', members: optionRows, isPartial: true, help: '' },
    given,
    '',
  ) as EmulatorOptions;
  refuseContradictions(options);
  if (onRequest !== undefined && typeof onRequest !== 'function') throw optionError('onRequest must be a function');
  if (log !== undefined && !isLog(log))
    throw optionError('log must be an object with the methods info, warn and error');
  if (log !== undefined) warnWithoutEffect(options, log);
  return {
    settings: resolveSettings({ port: optionRows.port.libraryDefault, ...withPresets(options) }),
    ...(log && { log }),
    ...(onRequest && { onRequest }),
  };
}

export interface LibrarySettings extends Pick<StartOptions, 'log' | 'onRequest'> {
  readonly settings: Settings;
}

const isLog = (value: unknown): boolean =>
  isObject(value) && ['info', 'warn', 'error'].every((name) => typeof value[name] === 'function');

/** Throws TypeError for an invalid target, because a misspelt name must not empty everything. */
export function readTarget(given: ResetTarget, method: string, members = ['account', 'table']): ResetTarget {
  const refuse = (what: string): never => {
    throw new TypeError(`${method}: ${what}`);
  };
  if (!isObject(given)) return refuse('the argument must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (!members.includes(name)) refuse(`there is no member ${name}; the members are ${members.join(', ')}`);
    if (value === undefined) continue;
    if (switches.has(name) ? typeof value === 'boolean' : typeof value === 'string' && value !== '') continue;
    refuse(`${name} must be ${switches.has(name) ? 'true or false' : 'a name'}`);
  }
  return given;
}

/** The members of a reset that are not names. If one is true, the reset includes it. */
const switches: ReadonlySet<string> = new Set(['clock', 'faults']);

/** Throws TypeError for anything but a string, which JavaScript would convert to a name. */
export function readSnapshotName(given: string, method: string): string {
  if (typeof given === 'string') return given;
  throw new TypeError(`${method}: the name must be a string`);
}

/** The account that the emulator's own connection string names. */
export function firstAccount({ accounts }: Settings): { readonly name: string; readonly key: string } {
  const [first] = accounts === 'any' || accounts === undefined ? [] : accounts;
  return { name: first?.name ?? developmentAccount.name, key: first?.keys[0] ?? developmentAccount.key };
}

/** Throws TypeError for the first contradiction. */
function refuseContradictions(options: EmulatorOptions): void {
  const [found] = findContradictions(options, 'library', 'refuse');
  if (found === undefined) return;
  const { use, counterpart, why = '' } = found;
  if (!isNeeds(counterpart))
    throw optionError(`${describeUse(use)} cannot be given with ${describeUse(counterpart)}${why}`);
  const needed = counterpart.map(({ setting }) => `a ${setting}`).join(' or ');
  throw optionError(`${describeUse(use)} needs ${needed} as well`);
}

function warnWithoutEffect(options: EmulatorOptions, log: EmulatorLog): void {
  for (const { use, counterpart, why = '' } of findContradictions(options, 'library', 'notice')) {
    if (!isNeeds(counterpart)) log.warn({}, `${describeUse(use)} has no effect with ${describeUse(counterpart)}${why}`);
  }
}

/** The option, with its value if only that value contradicts another option. */
function describeUse({ setting, value }: SettingUse): string {
  if (value === undefined || value === true) return setting;
  return `${setting} ${value === false ? 'false' : `'${value}'`}`;
}

/** Options that are not settings. */
const hooks = ['log', 'onRequest'];

const optionError = (message: string): TypeError => new TypeError(`startEmulator: ${message}`);

/** `path` is the path of the value in the options, such as `capacity.scale`. */
function readOption(row: Setting, value: unknown, path: string): unknown {
  switch (row.kind) {
    case 'group':
      return readGroup(row, value, path);
    case 'object':
      return readObject(row, value, path);
    case 'custom':
      return value === 'any' ? value : readAccounts(value, path);
    default:
      if (isOptionValue(row, value)) return value;
      throw optionError(`${path} must be ${describeOption(row)}`);
  }
}

function readObject({ read }: ObjectSetting, value: unknown, path: string): object {
  try {
    return read(value);
  } catch (error) {
    throw optionError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readGroup({ members, isPartial }: Group, value: unknown, path: string): object {
  if (!isObject(value)) throw optionError(`${path || 'the argument'} must be an object`);
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`);
  refuseUnknown(value, [...Object.keys(members), ...(path === '' ? hooks : [])], { pathOf, rows: members });
  // Read by the names of the rows, so that inherited members count too.
  const entries = Object.entries(members).flatMap(([name, row]) => {
    const member = value[name];
    return isPartial && member === undefined ? [] : [[name, readOption(row, member, pathOf(name))] as const];
  });
  return Object.fromEntries(entries);
}

interface Place {
  /** The path of a member in the options. */
  readonly pathOf: (name: string) => string;
  readonly rows?: Group['members'];
}

/** Refuses unknown members. An undefined member counts as left out. */
function refuseUnknown(value: Members, names: readonly string[], { pathOf, rows = {} }: Place): void {
  const unknown = Object.keys(value).find((name) => value[name] !== undefined && !names.includes(name));
  if (unknown === undefined) return;
  const near = ownNameOf(unknown, rows) ?? nearest(unknown, names);
  const hint = near === undefined ? '' : `did you mean ${pathOf(near)}? `;
  throw optionError(`there is no option ${pathOf(unknown)}; ${hint}the options are ${names.map(pathOf).join(', ')}`);
}

/**
 * Returns the name that an option has in the library. `name` is the name of the option on the command line, in the
 * environment or in the settings file. For example, `--tablePort` and `tablePort` are `port` in the library.
 */
function ownNameOf(name: string, rows: Group['members']): string | undefined {
  for (const [own, row] of Object.entries(rows)) {
    if (row.kind === 'group') {
      const below = ownNameOf(name, row.members);
      if (below !== undefined) return `${own}.${below}`;
    } else if (row.flag !== undefined) {
      const { member, flag, otherFlag, variable } = namesOf(row.flag);
      if ([member, flag, otherFlag, variable].includes(name)) return own;
    }
  }
  return undefined;
}

/** Names and keys follow the same grammar as in AZURITE_ACCOUNTS. */
function readAccounts(value: unknown, path: string): readonly AccountKeys[] {
  if (!Array.isArray(value)) throw optionError(`${path} must be ${optionRows.accounts.expected}`);
  if (value.length === 0) throw optionError(`${path} must name at least one account`);
  const words = Array.from(value, (account: unknown, at) => readAccountWords(account, `${path}[${at}]`));
  if (words.flat().some((word) => /[\s"':;]/.test(word))) {
    throw optionError(`${path}: a name or a key contains a space, a quote, a colon or a semicolon`);
  }
  try {
    return parseAccounts(words.map((account) => account.join(':')).join(';'));
  } catch (error) {
    throw optionError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The name and the keys of one account. */
function readAccountWords(value: unknown, path: string): string[] {
  if (!isObject(value)) throw optionError(`${path} must be an object`);
  refuseUnknown(value, ['name', 'keys'], { pathOf: (member) => `${path}.${member}` });
  const name = readText(value['name'], `${path}.name`);
  const { keys } = value;
  if (!Array.isArray(keys)) throw optionError(`${path}.keys must be a list`);
  return [name, ...Array.from(keys, (key: unknown, at) => readText(key, `${path}.keys[${at}]`))];
}

function readText(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw optionError(`${path} must be a string that is not empty`);
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
