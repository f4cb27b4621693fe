// Signatures for one table, with or without a stored access policy. Source: docs, Create a service SAS; the vectors in the
// tests.

import { endOfPartition, type KeyRange, successorOf } from '../model/key-range.ts';
import { tableLookup } from '../model/table-name.ts';
import type { Ticks } from '../model/ticks.ts';
import { authenticationFailed } from './authentication-refused.ts';
import { quote, type Variant } from './explain-signature.ts';
import type { TableSasGrant } from './grant.ts';
import {
  type CallerTerms,
  type Clauses,
  callerVersion,
  checkCaller,
  checkLifetime,
  checkSignature,
  checkVersion,
  clause,
  type LifetimeTexts,
  readCallerTerms,
  readLifetime,
  readMoment,
  type SasRequest,
} from './shared-access.ts';

/** What a stored access policy gives to signatures that name it; dates in ISO 8601. */
export interface StoredPolicy {
  readonly start?: string | undefined;
  readonly expiry?: string | undefined;
  readonly permission?: string | undefined;
}

/** The policy of a table by its id, in its exact case; undefined where there is none, or no such table. */
export type FindPolicy = (account: string, table: string, id: string) => Promise<StoredPolicy | undefined>;

const tableSasVersionMin = '2012-02-12';
/** Since then the signed resource begins with its service. */
const servicePrefixVersion = '2015-02-21';

/** Throws the service's refusal. Everything that needs no policy is judged before one is looked up. */
export function authenticateTableSas(
  request: SasRequest,
  findPolicy: FindPolicy,
): TableSasGrant | Promise<TableSasGrant> {
  const { account, clauses } = request;
  checkVersion(clauses, tableSasVersionMin);
  checkSignature(request, {
    text: tableSasText(account, clauses),
    variants: () => tableSasVariants(account, clauses),
  });
  checkTable(request);
  const terms = readTerms(clauses);
  if (terms.policyId === '') return grantOf(request, terms);
  return findPolicy(account, clause(clauses, 'tn'), terms.policyId).then((policy) =>
    grantOf(request, withPolicy(terms, policy)),
  );
}

/** The text that is signed; what the signature leaves to a policy is an empty line in it. */
export function tableSasText(account: string, clauses: Clauses): string {
  return textOf(clauses, resourceOf(account, clauses));
}

function resourceOf(account: string, clauses: Clauses): string {
  const prefix = clause(clauses, 'sv') >= servicePrefixVersion ? '/table' : '';
  return `${prefix}/${account}/${tableLookup(clause(clauses, 'tn'))}`;
}

function textOf(clauses: Clauses, resource: string, namesCaller = clause(clauses, 'sv') >= callerVersion): string {
  const of = (name: string): string => clause(clauses, name);
  const caller = namesCaller ? [of('sip'), of('spr')] : [];
  const range = [of('spk'), of('srk'), of('epk'), of('erk')];
  return [of('sp'), of('st'), of('se'), resource, of('si'), ...caller, of('sv'), ...range].join('\n');
}

function tableSasVariants(account: string, clauses: Clauses): Variant[] {
  const table = clause(clauses, 'tn');
  const text = tableSasText(account, clauses);
  const resource = resourceOf(account, clauses);
  const isPrefixed = resource.startsWith('/table/');
  const otherPrefix = isPrefixed ? resource.slice('/table'.length) : `/table${resource}`;
  const namesCaller = clause(clauses, 'sv') >= callerVersion;
  const encoded = new Map([...clauses].map(([name, value]) => [name, encodeURIComponent(value)]));
  const inCase = resource.replace(/[^/]+$/, table);
  return [
    { mistake: 'it ends with a newline', text: `${text}\n` },
    { mistake: 'the table is not in small letters', text: textOf(clauses, inCase) },
    {
      mistake: `the resource begins ${isPrefixed ? 'without' : 'with'} /table`,
      text: textOf(clauses, otherPrefix),
    },
    {
      mistake: 'the account is doubled, as the paths of the emulator have it',
      text: textOf(clauses, resource.replace(`/${account}/`, `/${account}/${account}/`)),
    },
    {
      mistake: `sip and spr have ${namesCaller ? 'no lines' : 'lines'}`,
      text: textOf(clauses, resource, !namesCaller),
    },
    { mistake: 'the values are percent-encoded', text: textOf(encoded, resource) },
  ];
}

/** Evidence: assumed. */
function checkTable({ table, clauses }: SasRequest): void {
  if (table === undefined || tableLookup(table) === tableLookup(clause(clauses, 'tn'))) return;
  throw authenticationFailed(() => [`tn is ${quote(clause(clauses, 'tn'))}, the address names another table.`]);
}

interface Terms {
  readonly policyId: string;
  readonly permissions: string;
  readonly start: Ticks | undefined;
  readonly expiry: Ticks | undefined;
  /** How to speak of them. */
  readonly texts: LifetimeTexts;
  readonly caller: CallerTerms;
  readonly range: KeyRange | undefined;
}

/** Evidence: documented (letters in order, each once); what refuses others is assumed. */
const permissionsPattern = /^r?a?u?d?$/;

function readTerms(clauses: Clauses): Terms {
  const permissions = clause(clauses, 'sp');
  if (!permissionsPattern.test(permissions)) {
    throw authenticationFailed(() => [`sp ${quote(permissions)} has other letters than raud, or another order.`]);
  }
  const texts = { start: `st ${clause(clauses, 'st')}`, expiry: `se ${clause(clauses, 'se')}` };
  const policyId = clause(clauses, 'si');
  const [caller, range] = [readCallerTerms(clauses), readRange(clauses)];
  return { policyId, permissions, ...readLifetime(clauses), texts, caller, range };
}

/** Each field stands in the signature or in the policy. Evidence: recorded (both: AuthenticationFailed); else documented. */
function withPolicy(terms: Terms, policy: StoredPolicy | undefined): Terms {
  if (!policy) throw authenticationFailed(() => [`The table has no stored policy ${quote(terms.policyId)}.`]);
  const { start = '', expiry = '', permission = '' } = policy;
  refuseTwice('st', terms.start !== undefined && start !== '');
  refuseTwice('se', terms.expiry !== undefined && expiry !== '');
  refuseTwice('sp', terms.permissions !== '' && permission !== '');
  return {
    ...terms,
    permissions: permission || terms.permissions,
    start: readPolicyDate(start) ?? terms.start,
    expiry: readPolicyDate(expiry) ?? terms.expiry,
    texts: {
      start: start ? `The policy's Start ${start}` : terms.texts.start,
      expiry: expiry ? `The policy's Expiry ${expiry}` : terms.texts.expiry,
    },
  };
}

function refuseTwice(name: string, isTwice: boolean): void {
  if (isTwice) throw authenticationFailed(() => [`${name} stands in the signature and in its stored policy.`]);
}

function readPolicyDate(text: string): Ticks | undefined {
  if (text === '') return undefined;
  const ticks = readMoment(text);
  if (ticks === undefined) throw authenticationFailed(() => [`The policy's date ${quote(text)} cannot be read.`]);
  return ticks;
}

function grantOf(request: SasRequest, terms: Terms): TableSasGrant {
  const { clauses, nowMs } = request;
  if (terms.permissions === '') throw authenticationFailed(() => ['There is no sp, here or in a stored policy.']);
  checkLifetime(terms, terms.texts, nowMs);
  checkCaller(terms.caller, request);
  return Object.freeze({
    kind: 'tableSas',
    permissions: terms.permissions,
    table: clause(clauses, 'tn'),
    range: terms.range,
    isLegacy: clause(clauses, 'sv') < callerVersion,
  });
}

/** Both ends are in the range. Evidence: documented; the refusal of a row without its partition is assumed. */
function readRange(clauses: Clauses): KeyRange | undefined {
  const [spk, srk, epk, erk] = ['spk', 'srk', 'epk', 'erk'].map((name) => clause(clauses, name));
  if (srk && !spk) throw authenticationFailed(() => ['There is srk without spk.']);
  if (erk && !epk) throw authenticationFailed(() => ['There is erk without epk.']);
  if (!spk && !epk) return undefined;
  return Object.freeze({
    ...(spk && { from: Object.freeze({ partitionKey: spk, rowKey: srk ?? '' }) }),
    ...(epk && { before: Object.freeze(erk ? { partitionKey: epk, rowKey: successorOf(erk) } : endOfPartition(epk)) }),
  });
}
