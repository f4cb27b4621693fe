import type { AccountKeys } from '../auth/account-keys.ts';
import { parseAccounts } from '../auth/accounts.ts';
import { parseControlToken } from '../auth/control-token.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import {
  allOf,
  boolean,
  listOf,
  numberAbove0,
  oneOf,
  optionFault,
  type Readers,
  someOf,
  text,
  wholeNumber,
} from './option-readers.ts';

const dayMs = 86_400_000;

/** Every option and what it may be, within the bounds of the flags; option-values.test.ts compares the two. */
export const optionTable: Readers<EmulatorOptions> = {
  port: wholeNumber({ max: 65_535 }),
  host: text,
  tls: allOf({ cert: text, key: text }),
  location: text,
  inMemory: boolean,
  durability: oneOf('process', 'power', 'none'),
  accounts: (value, path) => (value === 'any' ? value : readAccounts(value, path)),
  apiVersions: oneOf('known', 'newer', 'any'),
  loose: boolean,
  tableDeleteDelayMs: wholeNumber({ max: dayMs }),
  explainAuth: boolean,
  secondary: oneOf('live', 'bootstrap', 'unavailable'),
  replicaLagMs: wholeNumber({ max: dayMs }),
  pageBoundaries: oneOf('none', 'partition', 'range'),
  throttle: oneOf('off', 'observe', 'enforce'),
  capacity: someOf<NonNullable<EmulatorOptions['capacity']>>({
    scale: numberAbove0(1_000),
    // With fractions, which the flags reach by the scale.
    accountTarget: numberAbove0(1_000_000),
    rangeTarget: numberAbove0(1_000_000),
    partitionTarget: numberAbove0(1_000_000),
    queueLength: wholeNumber({ max: 100_000 }),
    waitMsMax: numberAbove0(dayMs),
    splitAfterMs: numberAbove0(dayMs),
    mergeAfterMs: numberAbove0(dayMs),
    moveMs: numberAbove0(dayMs),
  }),
  retryAfterSeconds: wholeNumber({ max: dayMs / 1000 }),
  requestsInFlightMax: wholeNumber({ min: 1, max: 1_000_000 }),
  controlToken: (value, path) => parsed(`${path} `, () => parseControlToken(text(value, path))),
};

const accountList = listOf(allOf<AccountKeys>({ name: text, keys: listOf(text) }));

/** As AZURITE_ACCOUNTS would give them, so that there is one grammar of names and keys. */
function readAccounts(value: unknown, path: string): readonly AccountKeys[] {
  if (!Array.isArray(value)) throw optionFault(`${path} must be a list of { name, keys }, or any`);
  if (value.length === 0) throw optionFault(`${path} must name at least one account`);
  const words = accountList(value, path).map(({ name, keys }) => [name, ...keys]);
  if (words.flat().some((word) => /[\s"':;]/.test(word))) {
    throw optionFault(`${path}: a name or a key has a space, a quote, a colon or a semicolon in it`);
  }
  const written = words.map((account) => account.join(':')).join(';');
  return parsed(`${path}: `, () => parseAccounts(written));
}

/** What a parser of another room says is wrong, said of the option. */
function parsed<T>(subject: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw optionFault(`${subject}${error instanceof Error ? error.message : String(error)}`);
  }
}
