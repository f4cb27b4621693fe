// Makes shared access signatures as a client does, from the documented strings to sign. This file does not use the
// emulator's code, because it tests that code. Source: docs, Create a service SAS and Create an account SAS.

import { hmac } from './sign.mjs';
import { developmentKey, type TableClient, type WireAnswer, type WireRequest } from './table-client.ts';

/** The clauses of a token. A clause that is undefined or empty is left out. */
export type Clauses = Readonly<Record<string, string | undefined>>;

export interface Signer {
  readonly account?: string;
  readonly key?: string;
}

const hourMs = 3_600_000;

/** A date in the form of `st` and `se`. */
export function momentAt(offsetMs: number): string {
  return `${new Date(Date.now() + offsetMs).toISOString().slice(0, 19)}Z`;
}

export const inAnHour = momentAt(hourMs);

const usualVersion = '2019-02-02';

/**
 * Returns a token for the table `tn`, as a query string without its question mark. The token expires in an hour, unless
 * the clauses contain `se`.
 */
export function tableToken(tn: string, clauses: Clauses, signer: Signer = {}): string {
  const all: Clauses = { sv: usualVersion, tn, se: inAnHour, ...clauses };
  return queryOf(all, signatureOf(tableText(all, signer.account), signer));
}

export function tableText(clauses: Clauses, account = 'devstoreaccount1'): string {
  const { sv = '', tn = '' } = clauses;
  const resource = `${sv >= '2015-02-21' ? '/table' : ''}/${account}/${tn.toLowerCase()}`;
  const of = (name: string): string => clauses[name] ?? '';
  const caller = sv >= '2015-04-05' ? [of('sip'), of('spr')] : [];
  const lines = [of('sp'), of('st'), of('se'), resource, of('si'), ...caller, sv];
  return [...lines, of('spk'), of('srk'), of('epk'), of('erk')].join('\n');
}

/** A token for the account. It is for all tables of the account, unless the clauses say something else. */
export function accountToken(clauses: Clauses, signer: Signer = {}): string {
  const all: Clauses = { sv: usualVersion, ss: 't', srt: 'sco', se: inAnHour, ...clauses };
  return queryOf(all, signatureOf(accountText(all, signer.account), signer));
}

export function accountText(clauses: Clauses, account = 'devstoreaccount1'): string {
  const names = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv'];
  if ((clauses['sv'] ?? '') >= '2020-12-06') names.push('ses');
  return [account, ...names.map((name) => clauses[name] ?? '')].map((line) => `${line}\n`).join('');
}

export function signatureOf(text: string, { key = developmentKey }: Signer = {}): string {
  return hmac(text, key);
}

export function queryOf(clauses: Clauses, signature: string): string {
  return Object.entries({ ...clauses, sig: signature })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
    .join('&');
}

/** The path, with a token as its query. */
export function withToken(path: string, token: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${token}`;
}

/** A client that sends the token with every request, and no Authorization header. */
export function holderOf<Client extends Pick<TableClient, 'send'>>(
  client: Client,
  token: string,
): Pick<TableClient, 'send'> {
  return {
    send: (request: WireRequest): Promise<WireAnswer> =>
      client.send({
        ...request,
        path: withToken(request.path, token),
        headers: { Authorization: undefined, ...request.headers },
      }),
  };
}
