// Makes signed requests without the code under test.

import { createAccounts, developmentAccount } from '../../src/auth/accounts.ts';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import type { Credentials } from '../../src/auth/credentials.ts';
import type { Grant } from '../../src/auth/grant.ts';
import type { FindPolicy } from '../../src/auth/table-sas.ts';
import { requestAgeMsMax } from '../../src/model/limits.ts';
import { ServiceError } from '../../src/model/service-error.ts';
import { hmac } from './sign.mjs';

export const account = developmentAccount.name;
export const key = developmentAccount.key;
export const nowMs = Date.UTC(2026, 5, 15, 12);
export const nowHttp = new Date(nowMs).toUTCString();

export type Clauses = Readonly<Record<string, string>>;

const tableNames = 'sp st se resource si sip spr sv spk srk epk erk'.split(' ');
const accountNames = 'account sp ss srt st se sip spr sv ses'.split(' ');

export function tableText(clauses: Clauses): string {
  const { sv = '', tn = '' } = clauses;
  const resource = `${sv < '2015-02-21' ? '' : '/table'}/${account}/${tn.toLowerCase()}`;
  const names = sv < '2015-04-05' ? tableNames.filter((name) => name !== 'sip' && name !== 'spr') : tableNames;
  return names.map((name) => (name === 'resource' ? resource : (clauses[name] ?? ''))).join('\n');
}

export function accountText(clauses: Clauses): string {
  const names = (clauses['sv'] ?? '') < '2020-12-06' ? accountNames.filter((name) => name !== 'ses') : accountNames;
  return names.map((name) => `${name === 'account' ? account : (clauses[name] ?? '')}\n`).join('');
}

/** A query with clauses and the signature over them. */
export function signedQuery(clauses: Clauses, base64Key?: string): Map<string, string> {
  const text = clauses['tn'] === undefined ? accountText(clauses) : tableText(clauses);
  return new Map([...Object.entries(clauses), ['sig', hmac(text, base64Key)]]);
}

export const tableSas = { sv: '2019-02-02', tn: 'Inventory', sp: 'raud', se: '2030-01-01' };
export const accountSas = { sv: '2020-12-06', ss: 't', srt: 'sco', sp: 'rwdlacu', se: '2030-01-01' };

export const anonymous: Credentials = {
  nowMs,
  method: 'GET',
  contentMd5: '',
  contentType: '',
  account,
  wirePath: `/${account}/Inventory()`,
  comp: undefined,
  authorization: undefined,
  msDate: undefined,
  date: undefined,
  secondary: false,
  challenges: false,
  isSecure: true,
  remoteAddress: '::ffff:127.0.0.1',
};

export function authenticate(changes: Partial<Credentials>, findPolicy?: FindPolicy): Grant | Promise<Grant> {
  const accounts = createAccounts([{ name: account, keys: ['c2Vjb25k', key] }]);
  return createAuthenticator({ accounts, clock: { nowMs: () => nowMs }, requestAgeMsMax, findPolicy }).authenticate({
    ...anonymous,
    ...changes,
  });
}

/** Authenticates a request. Returns the grant or the refusal. */
export async function answerTo(changes: Partial<Credentials>, findPolicy?: FindPolicy): Promise<Grant | ServiceError> {
  try {
    return await authenticate(changes, findPolicy);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Authenticates a request. Returns the kind of grant, or the code of the refusal. */
export async function outcomeOf(changes: Partial<Credentials>, findPolicy?: FindPolicy): Promise<string> {
  const answer = await answerTo(changes, findPolicy);
  return answer instanceof ServiceError ? answer.code : answer.kind;
}

export function thrownBy(run: () => unknown): ServiceError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
