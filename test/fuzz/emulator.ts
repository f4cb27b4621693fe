// The emulator that the targets share, and the checks that apply to all its responses.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { errorCatalogue } from '../../src/model/error-catalogue.ts';
import { codeOf } from '../support/batch-requests.ts';
import { createSigningKey, keySetOf } from '../support/bearer-tokens.ts';
import { type Service, startService } from '../support/service.ts';
import { developmentKey, type WireAnswer } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Outcome } from './target.ts';

/** A key that no response may contain. */
export const secretKey: string = Buffer.from('what no answer may show, in any of its forms: secrets!!').toString(
  'base64',
);
/** A token that no response may contain. */
export const controlToken = 'fuzz-control-token-0123456789';

/** The key that bearer tokens are signed with. */
export const signingKey = createSigningKey('one');
const folder = temporaryFolder();
const oauthKeys = join(folder.path, 'keys.json');
writeFileSync(oauthKeys, keySetOf(signingKey));
afterAll(() => folder.remove());

const faults: string[] = [];

/** Starts an emulator. `expectNoFault` looks at its errors. */
export function startFuzzed(): Promise<Service> {
  return startService({
    accounts: [
      { name: 'devstoreaccount1', keys: [developmentKey] },
      { name: 'secretive', keys: [secretKey] },
    ],
    oauth: 'verify',
    oauthKeys,
    controlToken,
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields, message) => void faults.push(`${message}: ${(fields as { err?: Error }).err?.stack}`),
    },
  });
}

export const service: Service = await startFuzzed();

/** Throws if the emulator logged an error that a client did not cause. */
export function expectNoFault(): void {
  expect(faults.splice(0)).toEqual([]);
}

/**
 * Returns the outcome of an answer. Throws unless the answer is a success or a refusal from the error catalogue. The
 * client has already compared the answer with openapi/.
 */
export function outcomeOf(answer: Pick<WireAnswer, 'status' | 'body'>): Outcome {
  const { status, body } = answer;
  expectNoFault();
  // 501 refuses what the service does not support, and a damaged request may contain such a thing by chance.
  if (status >= 500 && status !== 501) expect.fail(`${status}: ${body.slice(0, 300)}`);
  if (status < 400) return 'accepted';
  const code = codeOf(answer) ?? /<(?:m:)?code>(\w+)</i.exec(body)?.[1];
  // A response to HEAD has no body.
  if (body !== '') expect(knownStatus(code, status), body.slice(0, 600)).toBe(status);
  return 'refused';
}

function knownStatus(code: string | undefined, status: number): number | undefined {
  // This code has a second status, for the challenge that asks for a bearer token.
  if (code === 'InvalidAuthenticationInfo' && status === 401) return status;
  return (errorCatalogue as Readonly<Record<string, readonly [status: number, message: string]>>)[code ?? '']?.[0];
}
