// Verifies table signatures, with or without a stored access policy. Source: docs, Create a service SAS; the test
// vectors.

import { endOfPartition, type KeyRange, successorOf } from '../model/key-range.ts';
import { quote } from '../model/printable-text.ts';
import { tableLookup } from '../model/table-name.ts';
import type { Ticks } from '../model/ticks.ts';
import { authenticationFailed } from './authentication-refused.ts';
import type { Variant } from './explain-signature.ts';
import type { TableSasGrant } from './grant.ts';
import {
  type CallerRestrictions,
  type Clauses,
  callerVersion,
  checkCaller,
  checkLifetime,
  checkSignature,
  checkVersion,
  clause,
  type LifetimeTexts,
  readCallerRestrictions,
  readLifetime,
  readMoment,
  type SasRequest,
} from './shared-access.ts';

/** The fields of a stored access policy; dates in ISO 8601. */
export interface StoredPolicy {
  readonly start?: string | undefined;
  readonly expiry?: string | undefined;
  readonly permission?: string | undefined;
}

/**
 * Finds a policy of a table by its id, which is case-sensitive. Resolves to undefined if the policy or table is
 * missing.
 */
export type FindPolicy = (account: string, table: string, id: string) => Promise<StoredPolicy | undefined>;

const tableSasVersionMin = '2012-02-12';
/** From this version on the signed resource begins with the name of the service, `/table`. */
const servicePrefixVersion = '2015-02-21';

/**
 * Returns what the signature allows. Throws, or rejects with, a ServiceError if the signature is not valid for this
 * request. Looks up a stored policy only after the signature itself is verified.
 */
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
  const fields = readFields(clauses);
  if (fields.policyId === '') return grantOf(request, fields);
  return findPolicy(account, clause(clauses, 'tn'), fields.policyId).then((policy) =>
    grantOf(request, withPolicy(fields, policy)),
  );
}

/** The text to sign. A field that the stored policy provides is an empty line. */
export function tableSasText(account: string, clauses: Clauses): string {
  return textOf(clauses, resourceText(signedResource(account, clauses)));
}

interface SignedResource {
  readonly isPrefixed: boolean;
  readonly account: string;
  readonly table: string;
}

function signedResource(account: string, clauses: Clauses): SignedResource {
  const isPrefixed = clause(clauses, 'sv') >= servicePrefixVersion;
  return { isPrefixed, account, table: tableLookup(clause(clauses, 'tn')) };
}

function resourceText({ isPrefixed, account, table }: SignedResource): string {
  return `${isPrefixed ? '/table' : ''}/${account}/${table}`;
}

function textOf(clauses: Clauses, resource: string, namesCaller = clause(clauses, 'sv') >= callerVersion): string {
  const of = (name: string): string => clause(clauses, name);
  const caller = namesCaller ? [of('sip'), of('spr')] : [];
  const range = [of('spk'), of('srk'), of('epk'), of('erk')];
  return [of('sp'), of('st'), of('se'), resource, of('si'), ...caller, of('sv'), ...range].join('\n');
}

function tableSasVariants(account: string, clauses: Clauses): Variant[] {
  const signed = signedResource(account, clauses);
  const { isPrefixed } = signed;
  const withResource = (changes: Partial<SignedResource>): string =>
    textOf(clauses, resourceText({ ...signed, ...changes }));
  const namesCaller = clause(clauses, 'sv') >= callerVersion;
  const encoded = new Map([...clauses].map(([name, value]) => [name, encodeURIComponent(value)]));
  return [
    { mistake: 'it ends with a newline', text: `${tableSasText(account, clauses)}\n` },
    { mistake: 'the table is not in lower case', text: withResource({ table: clause(clauses, 'tn') }) },
    {
      mistake: `the resource begins ${isPrefixed ? 'without' : 'with'} /table`,
      text: withResource({ isPrefixed: !isPrefixed }),
    },
    {
      mistake: 'the account is doubled, as in path-style addresses',
      text: withResource({ account: `${account}/${account}` }),
    },
    {
      mistake: `sip and spr have ${namesCaller ? 'no lines' : 'lines'}`,
      text: textOf(clauses, resourceText(signed), !namesCaller),
    },
    { mistake: 'the values are percent-encoded', text: textOf(encoded, resourceText(signed)) },
  ];
}

interface SasFields {
  readonly policyId: string;
  readonly permissions: string;
  readonly start: Ticks | undefined;
  readonly expiry: Ticks | undefined;
  /** The start and the expiry as explanations quote them. */
  readonly texts: LifetimeTexts;
  readonly caller: CallerRestrictions;
  readonly range: KeyRange | undefined;
}

/** Evidence: documented (letters in order, each once); the refusal of any other text is assumed. */
const permissionsPattern = /^r?a?u?d?$/;

function readFields(clauses: Clauses): SasFields {
  const permissions = clause(clauses, 'sp');
  if (!permissionsPattern.test(permissions)) {
    throw authenticationFailed(() => [`sp ${quote(permissions)} has letters other than raud, or not in this order.`]);
  }
  const texts = { start: `st ${clause(clauses, 'st')}`, expiry: `se ${clause(clauses, 'se')}` };
  const policyId = clause(clauses, 'si');
  const [caller, range] = [readCallerRestrictions(clauses), readRange(clauses)];
  return { policyId, permissions, ...readLifetime(clauses), texts, caller, range };
}

/**
 * Takes each field from the signature or from the policy. A field must not be in both. Evidence: recorded (a field in
 * both is refused with AuthenticationFailed); documented.
 */
function withPolicy(fields: SasFields, policy: StoredPolicy | undefined): SasFields {
  if (!policy) throw authenticationFailed(() => [`The table has no stored policy ${quote(fields.policyId)}.`]);
  const { start = '', expiry = '', permission = '' } = policy;
  refuseTwice('st', fields.start !== undefined && start !== '');
  refuseTwice('se', fields.expiry !== undefined && expiry !== '');
  refuseTwice('sp', fields.permissions !== '' && permission !== '');
  return {
    ...fields,
    permissions: permission || fields.permissions,
    start: readPolicyDate(start) ?? fields.start,
    expiry: readPolicyDate(expiry) ?? fields.expiry,
    texts: {
      start: start ? `The policy's Start ${start}` : fields.texts.start,
      expiry: expiry ? `The policy's Expiry ${expiry}` : fields.texts.expiry,
    },
  };
}

function refuseTwice(name: string, isTwice: boolean): void {
  if (isTwice) throw authenticationFailed(() => [`${name} is in the signature and in its stored policy.`]);
}

function readPolicyDate(text: string): Ticks | undefined {
  if (text === '') return undefined;
  const ticks = readMoment(text);
  if (ticks === undefined) throw authenticationFailed(() => [`The policy's date ${quote(text)} is malformed.`]);
  return ticks;
}

function grantOf(request: SasRequest, fields: SasFields): TableSasGrant {
  const { clauses, nowMs } = request;
  if (fields.permissions === '')
    throw authenticationFailed(() => ['There is no sp in the signature or in a stored policy.']);
  checkLifetime(fields, fields.texts, nowMs);
  checkCaller(fields.caller, request);
  return Object.freeze({
    kind: 'tableSas',
    permissions: fields.permissions,
    table: clause(clauses, 'tn'),
    range: fields.range,
    isLegacy: clause(clauses, 'sv') < callerVersion,
  });
}

/** The range includes both ends. Evidence: documented; the refusal of a row key without its partition key is assumed. */
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
