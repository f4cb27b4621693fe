import fc from 'fast-check';
import { expect } from 'vitest';
import { bearing, type Members, signedToken, somethingElse } from '../../support/bearer-tokens.ts';
import { type Change, changed, changesOf } from '../damage.ts';
import { outcomeOf, service, signingKey } from '../emulator.ts';
import { type Outcome, target } from '../target.ts';

const tokens = [
  '.',
  '..',
  '=',
  '-',
  '_',
  'eyJ',
  'e30',
  'bnVsbA',
  'A',
  ' ',
  ',',
  'Bearer ',
  '{',
  '"',
  'AAAA'.repeat(5_000),
];

const odd = fc.constantFrom<unknown>('', 'x', 0, -1, 1e300, null, true, [], {}, ['https://storage.azure.com', 'x'], {
  a: [],
});
const wrongClaims = fc.record(
  {
    aud: fc.constantFrom<unknown>('https://graph.microsoft.com', '', 0, [], {}),
    iss: fc.constantFrom<unknown>('https://attacker.example/', '', 0, [], {}),
    tid: fc.constantFrom<unknown>(somethingElse, '', 0, {}),
    exp: fc.constantFrom<unknown>(0, 1, -1, '9999999999', null, []),
    nbf: fc.constantFrom<unknown>(4_000_000_000),
  },
  { requiredKeys: [] },
);
const harmlessClaims = fc.dictionary(fc.constantFrom('__proto__', 'toString', 'x', 'ver', 'roles', 'scp'), odd, {
  maxKeys: 2,
});
const wrongHeader = fc.record(
  {
    alg: fc.constantFrom<unknown>('none', 'HS256', 'RS512', 'rs256', '', 0, null),
    kid: fc.constantFrom<unknown>('two', '', 0, null, '__proto__'),
    crit: fc.constantFrom<unknown>(['b64'], ['x']),
    jwk: fc.constantFrom<unknown>({ kty: 'RSA' }),
    jku: fc.constant('https://attacker.example/keys'),
  },
  { requiredKeys: [] },
);

interface Bearer {
  readonly header: Members;
  readonly wrong: Members;
  readonly harmless: Members;
  readonly changes: readonly Change[];
}

const nothing = fc.constant<Members>({});
const inputs: fc.Arbitrary<Bearer> = fc.record({
  header: fc.oneof({ weight: 3, arbitrary: nothing }, { weight: 1, arbitrary: wrongHeader }),
  wrong: fc.oneof({ weight: 3, arbitrary: nothing }, { weight: 1, arbitrary: wrongClaims }),
  harmless: fc.oneof({ weight: 2, arbitrary: nothing }, { weight: 1, arbitrary: harmlessClaims }),
  changes: changesOf(tokens),
});

/** A token must be accepted only if it is signed and nothing in it is wrong. */
async function check({ header, wrong, harmless, changes }: Bearer): Promise<Outcome> {
  const sound = signedToken(signingKey, { ...harmless, ...wrong }, header);
  const sent = changed(sound, changes)
    .replaceAll(/[^ -~]/g, '')
    .trim();
  const answer = await service.get('/Tables', bearing(sent, { 'x-ms-version': '2020-12-06' }));
  const outcome = outcomeOf(answer);
  if (outcome === 'accepted') expect([sent, header, wrong]).toEqual([sound, {}, {}]);
  return outcome;
}

export const bearerTokens = target({ name: 'tokens', share: 5, inputs, check });
