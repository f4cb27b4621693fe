// Signatures for an account. Source: docs, Create an account SAS; the vectors in the tests.

import { AuthenticationRefused, authenticationFailed } from './authentication-refused.ts';
import { quote, type Variant } from './explain-signature.ts';
import type { AccountSasGrant } from './grant.ts';
import {
  type Clauses,
  callerVersion,
  checkCaller,
  checkLifetime,
  checkSignature,
  checkVersion,
  clause,
  readCallerTerms,
  readLifetime,
  type SasRequest,
} from './shared-access.ts';

/** Since then the encryption scope has a line. */
const scopeVersion = '2020-12-06';

/** Throws the service's refusal. */
export function authenticateAccountSas(request: SasRequest): AccountSasGrant {
  const { account, clauses, nowMs } = request;
  checkVersion(clauses, callerVersion);
  checkSignature(request, {
    text: accountSasText(account, clauses),
    variants: () => accountSasVariants(account, clauses),
  });
  const services = lettersOf(clauses, 'ss', /^[bqtf]+$/);
  const resourceTypes = lettersOf(clauses, 'srt', /^[sco]+$/);
  // What a letter beyond the known ones would allow, no operation of a table asks for.
  const permissions = lettersOf(clauses, 'sp', /^[a-z]+$/);
  const callerTerms = readCallerTerms(clauses);
  const texts = { start: `st ${clause(clauses, 'st')}`, expiry: `se ${clause(clauses, 'se')}` };
  checkLifetime(readLifetime(clauses), texts, nowMs);
  checkCaller(callerTerms, request);
  if (!services.includes('t')) {
    throw new AuthenticationRefused('AuthorizationServiceMismatch', () => [`ss is ${services}; tables need t.`]);
  }
  return Object.freeze({ kind: 'accountSas', permissions, resourceTypes });
}

/** The text that is signed: every line ends, the last one too. */
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
  const lineForScope = `there is ${hasScope ? 'no line' : 'a line'} for ses`;
  const encoded = new Map([...clauses].map(([name, value]) => [name, encodeURIComponent(value)]));
  return [
    // Without a scope the two are the same text; data-tables 13.3.2 writes it for every version.
    { mistake: lineForScope, text: otherForm },
    { mistake: 'its last newline is missing', text: text.slice(0, -1) },
    { mistake: `${lineForScope} and its last newline is missing`, text: otherForm.slice(0, -1) },
    { mistake: 'the values are percent-encoded', text: textOf(account, encoded, hasScope) },
  ];
}

/** Letters in any order. Evidence: recorded (`soc`, `rdlc`). */
function lettersOf(clauses: Clauses, name: string, pattern: RegExp): string {
  const letters = clause(clauses, name);
  if (pattern.test(letters)) return letters;
  throw authenticationFailed(() => [`${name} ${quote(letters)} has none of its letters, or others.`]);
}
