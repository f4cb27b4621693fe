import { createPrivateKey, createPublicKey, randomUUID, X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createIssuer } from '../../../src/identity/create-issuer.ts';
import { GrantRefusal } from '../../../src/identity/entra-error.ts';
import { defaultClientId, defaultTenantId } from '../../../src/identity/identifiers.ts';
import type { Issuer } from '../../../src/identity/issuer.ts';
import { isTokenSignedBy, takeApart } from '../../../src/identity/jwt.ts';
import { parsePrincipals } from '../../../src/identity/principals.ts';
import { partsOf, signedToken, thumbprint } from '../../support/tokens.ts';

const startMs = Date.UTC(2030, 0, 31, 12);
const endpoint = 'https://localhost:10002/adfs/oauth2/token';
const scope = 'https://storage.azure.com/.default';

/** Opens an issuer in memory, with one clock for the service and one for the machine. */
function openIssuer(options: Partial<Parameters<typeof createIssuer>[0]> = {}) {
  const times = { service: startMs, machine: startMs };
  const issuer = createIssuer({
    folder: undefined,
    texts: undefined,
    tenantId: defaultTenantId,
    principalsFile: undefined,
    clock: { nowMs: () => times.service },
    machineTime: { nowMs: () => times.machine },
    ...options,
  });
  return { issuer, times };
}

const shared = openIssuer();
const [principal] = await shared.issuer.principals();
const [secret = ''] = principal?.secrets ?? [];
const { certificate: bundle = '', federatedToken } = await shared.issuer.credentials(principal!);
const pem = bundle.slice(bundle.indexOf('-----BEGIN CERTIFICATE'));
const clientKey = createPrivateKey(bundle);
afterEach(() => Object.assign(shared.times, { service: startMs, machine: startMs }));

type Fields = Readonly<Record<string, string | undefined>>;

const formOf = (fields: Fields): URLSearchParams =>
  new URLSearchParams(
    Object.entries({ grant_type: 'client_credentials', client_id: defaultClientId, scope, ...fields }).flatMap(
      ([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]),
    ),
  );

const grant = (fields: Fields, issuer: Issuer = shared.issuer) =>
  issuer.grant({ fields: formOf(fields), authorization: undefined }, [endpoint]);

const bearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const byAssertion = (client_assertion: string) => grant({ client_assertion, client_assertion_type: bearer });

/** The error number with which work is refused. */
async function refusalOf(work: Promise<unknown>): Promise<number> {
  const error = await work.then(
    () => new Error('a token was given'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GrantRefusal);
  return (error as GrantRefusal).code;
}

const nowSeconds = startMs / 1000;
const usualClaims = {
  iss: defaultClientId,
  sub: defaultClientId,
  aud: endpoint,
  jti: 'one',
  nbf: nowSeconds,
  exp: nowSeconds + 600,
};
const x5t = thumbprint(pem, 'sha1').toString('base64url');

function assertion(claims: object = {}, header: object = {}): string {
  return signedToken({
    header: { alg: 'PS256', x5t, ...header },
    claims: { ...usualClaims, jti: randomUUID(), ...claims },
    key: clientKey,
  });
}

describe('The issuer', () => {
  it('issues a token for a secret, with the claims of Microsoft Entra and the name of the emulator', async () => {
    const { token } = await grant({ client_secret: secret });
    const { header, claims } = partsOf(token);
    const [key] = await shared.issuer.keys();
    expect(header).toEqual({ typ: 'JWT', alg: 'RS256', kid: key.kid, x5t: key.kid });
    expect(claims).toEqual({
      aud: 'https://storage.azure.com',
      iss: `https://sts.windows.net/${defaultTenantId}/`,
      idp: `https://sts.windows.net/${defaultTenantId}/`,
      iat: nowSeconds - 300,
      nbf: nowSeconds - 300,
      exp: nowSeconds + 3_599,
      appid: defaultClientId,
      appidacr: '1',
      idtyp: 'app',
      oid: principal?.objectId,
      sub: principal?.objectId,
      tid: defaultTenantId,
      uti: expect.any(String),
      ver: '1.0',
      emulator: 'Tanzanite',
      emulator_note: 'Not a token of Microsoft Entra ID.',
    });
    expect(isTokenSignedBy((await shared.issuer.find(key.kid))!, takeApart(token)!)).toBe(true);
  });

  it('dates tokens by the time of the service, and checks assertions by the time of the machine', async () => {
    shared.times.service = startMs + 40 * 86_400_000;
    const { token } = await byAssertion(assertion());
    expect(partsOf(token).claims['exp']).toBe(shared.times.service / 1000 + 3_599);
  });

  it.each([
    ['a wrong secret', { client_secret: 'wrong' }, 7000215],
    ['an empty secret', { client_secret: '' }, 7000218],
    ['no proof', {}, 7000218],
    ['an unknown client', { client_id: 'c\u202e\r\nlient', client_secret: secret }, 700016],
    ['no client', { client_id: undefined, client_secret: secret }, 900144],
    ['no scope', { client_secret: secret, scope: undefined }, 900144],
    ['another grant', { client_secret: secret, grant_type: 'password' }, 70003],
    ['two resources', { client_secret: secret, scope: `${scope} https://vault.azure.net/.default` }, 28000],
    ['a permission in place of all', { client_secret: secret, scope: 'https://storage.azure.com/read' }, 1002012],
    ['a scope that is not an address', { client_secret: secret, scope: 'evil\n/.default' }, 70011],
    ['an assertion of an unknown type', { client_assertion: 'a.b.c', client_assertion_type: 'x' }, 900144],
  ])('refuses %s', async (_, fields, code) => {
    expect(await refusalOf(grant(fields))).toBe(code);
  });

  it('refuses a parameter that occurs twice, even if both are right', async () => {
    const fields = formOf({ client_secret: secret });
    fields.append('client_secret', secret);
    expect(await refusalOf(shared.issuer.grant({ fields, authorization: undefined }, [endpoint]))).toBe(9000411);
  });

  it('reads client and secret from the header Authorization', async () => {
    const authorization = `Basic ${Buffer.from(`${defaultClientId}:${secret}`).toString('base64')}`;
    const fields = formOf({ client_id: undefined });
    expect((await shared.issuer.grant({ fields, authorization }, [endpoint])).grant).toBe('secret');
    const wrong = `Basic ${Buffer.from(`${defaultClientId}:x`).toString('base64')}`;
    expect(await refusalOf(shared.issuer.grant({ fields, authorization: wrong }, [endpoint]))).toBe(7000215);
  });

  it.each([
    ['openid offline_access profile', `${scope} openid offline_access profile`, 'https://storage.azure.com'],
    ['two slashes', 'https://storage.azure.com//.default', 'https://storage.azure.com/'],
    ['a GUID', 'e406a681-f3d4-42a8-90b6-c2b029497af1/.default', 'e406a681-f3d4-42a8-90b6-c2b029497af1'],
  ])('reads a scope with %s', async (_, text, audience) => {
    expect((await grant({ client_secret: secret, scope: text })).audience).toBe(audience);
  });

  it('reads the resource in requests to the endpoint without a version', async () => {
    const resource = 'https://storage.azure.com/';
    expect((await grant({ client_secret: secret, scope: undefined, resource })).audience).toBe(resource);
  });
});

describe('An assertion', () => {
  const sha256 = thumbprint(pem, 'sha256');
  const sha1 = thumbprint(pem, 'sha1');
  it.each([
    ['RS256', { alg: 'RS256' }],
    ['PS256', { alg: 'PS256' }],
    ['x5t in base64 with padding', { x5t: sha1.toString('base64') }],
    ['x5t in hexadecimal', { x5t: sha1.toString('hex').toUpperCase() }],
    ['x5t#S256', { x5t: undefined, 'x5t#S256': sha256.toString('base64url') }],
    ['x5t#S256 with padding', { x5t: undefined, 'x5t#S256': sha256.toString('base64') }],
    ['kid', { x5t: undefined, kid: sha1.toString('hex').toUpperCase() }],
  ])('is accepted by %s', async (_, header) => {
    expect((await byAssertion(assertion({}, header))).grant).toBe('certificate');
  });

  it('is accepted with fractions of seconds, and with a line feed at its end', async () => {
    const sent = assertion({ exp: nowSeconds + 599.987, nbf: nowSeconds - 0.25 });
    expect((await byAssertion(`${sent}\n`)).grant).toBe('certificate');
  });

  const publicPem = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'pem' }) as string;
  it.each([
    ['for another audience', () => assertion({ aud: 'https://login.microsoftonline.com/x/oauth2/token' }), 700023],
    ['for a list of audiences', () => assertion({ aud: [endpoint] }), 700023],
    ['of another client', () => assertion({ iss: randomUUID() }), 700021],
    ['about another client', () => assertion({ sub: randomUUID() }), 700021],
    ['that has expired', () => assertion({ exp: nowSeconds - 301 }), 700024],
    ['that is not yet valid', () => assertion({ nbf: nowSeconds + 301 }), 700024],
    ['without an end', () => assertion({ exp: undefined }), 50027],
    ['with a text for an end', () => assertion({ exp: '9999999999' }), 50027],
    ['with an end that is not a date', () => assertion({ exp: -1e300 }), 700024],
    ['with critical members', () => assertion({}, { crit: ['exp'] }), 50027],
    ['by an unknown certificate', () => assertion({}, { x5t: 'AAAA' }), 700027],
    ['without a certificate', () => assertion({}, { x5t: undefined }), 700027],
    ['with jku, x5u and jwk elsewhere', () => assertion({}, { x5t: 'A', jku: 'http://127.0.0.1:1', jwk: {} }), 700027],
    ['with another algorithm', () => assertion({}, { alg: 'RS512' }), 700027],
    ['with a name of Object for an algorithm', () => assertion({}, { alg: 'constructor' }), 700027],
    ['by alg none', () => `${signedToken({ header: { alg: 'none', x5t }, claims: usualClaims })}AAAA`, 700027],
    [
      'by alg none without a signature',
      () => signedToken({ header: { alg: 'none', x5t }, claims: usualClaims }),
      50027,
    ],
    [
      'by HS256 with the public certificate',
      () => signedToken({ header: { alg: 'HS256', x5t }, claims: usualClaims, key: pem }),
      700027,
    ],
    [
      'by HS256 with the public key',
      () => signedToken({ header: { alg: 'HS256', x5t }, claims: usualClaims, key: publicPem }),
      700027,
    ],
    ['with more than 16,384 characters', () => assertion({ long: 'x'.repeat(17_000) }), 50027],
    ['in another one', () => `${assertion()}.${assertion()}`, 50027],
    ['that is not a token', () => 'token', 50027],
    ['that is not JSON', () => `${Buffer.from('[').toString('base64url')}.e30.AA`, 50027],
    ['that is a list', () => `${Buffer.from('[]').toString('base64url')}.e30.AA`, 50027],
  ])('%s is refused', async (_, make, code) => {
    expect(await refusalOf(byAssertion(make()))).toBe(code);
  });

  it('is refused with one bit of its claims or its signature changed', async () => {
    const [head = '', body = '', signature = ''] = assertion().split('.');
    const flipped = (part: string): string => {
      const bytes = Buffer.from(part, 'base64url');
      bytes[bytes.length >> 1]! ^= 1;
      return bytes.toString('base64url');
    };
    expect([50027, 700027]).toContain(await refusalOf(byAssertion(`${head}.${flipped(body)}.${signature}`)));
    expect(await refusalOf(byAssertion(`${head}.${body}.${flipped(signature)}`))).toBe(700027);
  });

  it('may be sent again while it is valid, as MSAL for Node does; another with the same jti is a replay', async () => {
    const first = assertion({ jti: 'same' });
    await byAssertion(first);
    expect((await byAssertion(first)).grant).toBe('certificate');
    expect(await refusalOf(byAssertion(assertion({ jti: 'same', exp: nowSeconds + 500 })))).toBe(700027);
    shared.times.machine = startMs + 901_000;
    expect(await refusalOf(byAssertion(first))).toBe(700024);
  });

  it('of a workload is accepted, but not for another principal, and not if it was altered', async () => {
    expect((await byAssertion(`${federatedToken}\n`)).grant).toBe('federated');
    const other = await shared.issuer.addPrincipal({ name: 'other' });
    const fields = { client_id: other.clientId, client_assertion: federatedToken, client_assertion_type: bearer };
    expect(await refusalOf(grant(fields))).toBe(70021);
    const forged = signedToken({
      header: { alg: 'RS256' },
      claims: { ...partsOf(federatedToken).claims },
      key: clientKey,
    });
    expect(await refusalOf(byAssertion(forged))).toBe(700027);
    const publicKey = createPublicKey(clientKey).export({ type: 'spki', format: 'pem' }) as string;
    const hashed = signedToken({ header: { alg: 'HS256' }, claims: partsOf(federatedToken).claims, key: publicKey });
    expect(await refusalOf(byAssertion(hashed))).toBe(700027);
  });

  it('cannot be an access token of the issuer itself', async () => {
    const { token } = await grant({ client_secret: secret });
    expect(await refusalOf(byAssertion(token))).toBe(700027);
  });
});

describe('Managed identity', () => {
  const ask = (query: string) => shared.issuer.grantManaged('imds', new URLSearchParams(query));
  const resource = 'resource=https://storage.azure.com';

  it.each(['', `&client_id=${defaultClientId}`, `&object_id=${principal?.objectId}`])(
    'gets a token for a day with the query %j',
    async (named) => {
      const { token, until, now } = await ask(`api-version=2018-02-01&${resource}${named}`);
      expect(until - now).toBe(86_399);
      expect(partsOf(token).claims).toMatchObject({ aud: 'https://storage.azure.com', appid: defaultClientId });
    },
  );

  it.each([
    [resource, 900144],
    ['api-version=1', 900144],
    [`api-version=1&${resource}&client_id=${randomUUID()}`, 900201],
    [`api-version=1&${resource}&client_id=${defaultClientId}&object_id=${principal?.objectId}`, 900201],
    ['api-version=1&resource=javascript:alert', 900201],
  ])('refuses the query %s', async (query, code) => {
    expect(await refusalOf(ask(query))).toBe(code);
  });
});

describe('Keys of the issuer', () => {
  it('rotate: old keys stay until the last token that they can have signed expires', async () => {
    const { issuer, times } = openIssuer();
    const [first] = await issuer.keys();
    const { kid } = await issuer.rotate();
    expect((await issuer.keys()).map((key) => key.kid)).toEqual([kid, first.kid]);
    expect(await issuer.find(first.kid)).toBeDefined();
    times.service += 86_400_000 - 1;
    await issuer.rotate();
    expect(await issuer.find(first.kid)).toBeDefined();
    times.service += 1;
    await issuer.rotate();
    expect(await issuer.find(first.kid)).toBeUndefined();
    expect(await issuer.find(kid)).toBeDefined();
  });

  it('are all kept if several rotations happen at the same time, up to 50', async () => {
    const { issuer } = openIssuer();
    const generation = issuer.generation;
    const rotated = await Promise.all(Array.from({ length: 3 }, () => issuer.rotate()));
    const kids = (await issuer.keys()).map(({ kid }) => kid);
    expect(kids).toHaveLength(4);
    expect(kids).toEqual(expect.arrayContaining(rotated.map(({ kid }) => kid)));
    expect(issuer.generation).not.toBe(generation);
  });
});

describe('A file of principals', () => {
  const clientId = '0f0e0d0c-0b0a-4908-8706-050403020100';
  const file = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const parse = (value: unknown) => parsePrincipals(file(value), () => pem);

  it('contains the tenant, and clients with secrets, certificates and roles', async () => {
    const read = parse({
      tenantId: clientId.toUpperCase(),
      principals: [{ clientId: clientId.toUpperCase(), secret: 's', certificate: 'client.pem', roles: ['Reader'] }],
    });
    expect(read.tenantId).toBe(clientId);
    const { issuer } = openIssuer({ principalsFile: read });
    const given = await grant({ client_id: clientId, client_secret: 's' }, issuer);
    expect(given.principal).toMatchObject({
      objectId: clientId,
      name: clientId,
      roles: [{ role: 'Reader' }],
    });
    expect(given.principal.certificates).toHaveLength(1);
  });

  it.each([
    ['{', 'it is not JSON'],
    [[], 'the file must be an object'],
    [{}, 'principals must be a list'],
    [{ principals: [], tenant: 'a' }, 'there is no member tenant; the members are tenantId, principals'],
    [{ principals: [], tenantId: 'a' }, 'tenantId must be a GUID'],
    [{ principals: [{}] }, 'principals[0].clientId must be a GUID'],
    [
      { principals: [{ clientId, id: 1 }] },
      'principals[0]: there is no member id; the members are name, clientId, objectId, secret, secrets, certificate, certificates, roles',
    ],
    [{ principals: [{ clientId, secret: 1 }] }, 'principals[0].secrets must be a text, or a list of at most 10'],
    [
      { principals: [{ clientId, certificate: '-----BEGIN x' }] },
      'principals[0].certificates: a text: it is not a certificate in PEM',
    ],
    [
      { principals: [{ clientId, roles: [{}] }] },
      'principals[0].roles: the name of a role must be a text of 1 to 200 characters',
    ],
    [
      { principals: [{ clientId, roles: [{ role: 'a', table: 't' }] }] },
      'principals[0].roles: a role for a table needs an account',
    ],
    [
      { principals: [{ clientId }, { clientId: clientId.toUpperCase() }] },
      `two principals have the clientId ${clientId}`,
    ],
  ])('is refused: %j', (value, message) => {
    expect(() => parse(value)).toThrow(new Error(message));
  });
});
