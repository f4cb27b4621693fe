// Verifies account signatures (account SAS). Source: docs, Create an account SAS; the test vectors.

import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { authenticationFailed } from './authentication-refused.ts';
import type { Variant } from './explain-signature.ts';
import type { AccountSasGrant } from './grant.ts';
import {
  type Clauses,
  callerVersion,
  checkCaller,
  checkLifetime,
  checkSignature,
  checkVersion,
  clause,
  readCallerRestrictions,
  readLifetime,
  type SasRequest,
} from './shared-access.ts';

/** From this version on the signed text has a line for the encryption scope. */
const scopeVersion = '2020-12-06';

/** Returns what the signature allows. Throws a ServiceError if the signature is not valid for this request. */
export function authenticateAccountSas(request: SasRequest): AccountSasGrant {
  const { account, clauses, nowMs } = request;
  checkVersion(clauses, callerVersion);
  checkSignature(request, {
    text: accountSasText(account, clauses),
    variants: () => accountSasVariants(account, clauses),
  });
  const services = lettersOf(clauses, 'ss', /^[bqtf]+$/);
  const resourceTypes = lettersOf(clauses, 'srt', /^[sco]+$/);
  // A letter that Azure does not know is harmless: no operation on tables asks for it.
  const permissions = lettersOf(clauses, 'sp', /^[a-z]+$/);
  const restrictions = readCallerRestrictions(clauses);
  const texts = { start: `st ${clause(clauses, 'st')}`, expiry: `se ${clause(clauses, 'se')}` };
  checkLifetime(readLifetime(clauses), texts, nowMs);
  checkCaller(restrictions, request);
  if (!services.includes('t')) {
    const why = `ss is ${services}; tables need t.`;
    throw new ServiceError('AuthorizationServiceMismatch', { stage: 'frontEnd', why });
  }
  return Object.freeze({ kind: 'accountSas', permissions, resourceTypes });
}

/** The text to sign. Every line ends with a line feed, including the last. */
export function accountSasText(account: string, clauses: Clauses): string {
  return textOf(account, clauses, clause(clauses, 'sv') >= scopeVersion);
}

function textOf(account: string, clauses: Clauses, hasScope: boolean): string {
  const names = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv', ...(hasScope ? ['ses'] : [])];
  return `${[account, ...names.map((name) => clause(clauses, name))].join('\n')}\n`;
}

function accountSasVariants(account: string, clauses: Clauses): Variant[] {
  const text = accountSasText(account, clauses);
  const hasScope = clause(clauses, 'sv') >= scopeVersion;
  const otherForm = textOf(account, clauses, !hasScope);
  const lineForScope = `it has ${hasScope ? 'no line' : 'a line'} for ses`;
  const encoded = new Map([...clauses].map(([name, value]) => [name, encodeURIComponent(value)]));
  return [
    // @azure/data-tables 13.3.2 signs the text without the scope line at every version.
    { mistake: lineForScope, text: otherForm },
    { mistake: 'its last newline is missing', text: text.slice(0, -1) },
    { mistake: `${lineForScope} and its last newline is missing`, text: otherForm.slice(0, -1) },
    { mistake: 'the values are percent-encoded', text: textOf(account, encoded, hasScope) },
  ];
}

/** Reads a clause of letters, which may be in any order. Evidence: recorded (`soc`, `rdlc`). */
function lettersOf(clauses: Clauses, name: string, pattern: RegExp): string {
  const letters = clause(clauses, name);
  if (pattern.test(letters)) return letters;
  throw authenticationFailed(() => [`${name} ${quote(letters)} has unknown letters, or none.`]);
}
