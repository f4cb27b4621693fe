// Reads the requests to the token endpoint. Checks which client asks for a token, how the client proves its identity,
// and what the token is for.
// Evidence: documented (OAuth 2.0 client credentials flow on the Microsoft identity platform)

import { clientTokenSeconds, type TokenGrant } from './access-token.ts';
import { type AssertionContext, checkAssertion, federationIssuer } from './assertions.ts';
import { GrantRefusal, shownInError } from './entra-error.ts';
import { takeApart } from './jwt.ts';
import { hasSecret, type Principal } from './principals.ts';

export interface GrantTools extends Omit<AssertionContext, 'principal'> {
  readonly findPrincipal: (clientId: string) => Promise<Principal | undefined>;
}

export interface TokenForm {
  /** The fields of the body, which is a form. */
  readonly fields: URLSearchParams;
  /** The header Authorization. */
  readonly authorization: string | undefined;
}

/** What the issued token will be for. */
export interface GrantedToken {
  readonly principal: Principal;
  readonly audience: string;
  readonly grant: TokenGrant;
  readonly lifeSeconds: number;
}

const bearerAssertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Reads and checks a request for a token. Rejects with GrantRefusal. */
export async function readGrant(form: TokenForm, tools: GrantTools): Promise<GrantedToken> {
  const fields = readFields(form);
  const type = needed(fields, 'grant_type');
  if (type !== 'client_credentials') {
    throw new GrantRefusal(
      70003,
      `The app requested an unsupported grant type ${shownInError(type)}. The emulator supports client_credentials.`,
    );
  }
  const clientId = needed(fields, 'client_id');
  const principal = await tools.findPrincipal(clientId.toLowerCase());
  if (!principal) {
    throw new GrantRefusal(
      700016,
      `Application with identifier ${shownInError(clientId)} was not found in the directory. The command tanzanite env --identity prints an identifier that the directory has.`,
    );
  }
  const grant = proveClient(fields, { ...tools, principal });
  return { principal, audience: readAudience(fields), grant, lifeSeconds: clientTokenSeconds };
}

type Fields = ReadonlyMap<string, string>;

/** Throws GrantRefusal for a field that occurs twice. */
function readFields({ fields, authorization }: TokenForm): Fields {
  const read = new Map(readBasic(authorization));
  const inBody = new Set<string>();
  for (const [name, value] of fields) {
    if (inBody.has(name)) {
      throw new GrantRefusal(
        9000411,
        `The request is not properly formatted. The parameter ${shownInError(name)} is duplicated.`,
      );
    }
    inBody.add(name);
    if (value !== '') read.set(name, value);
  }
  return read;
}

/** The client id and its secret can be in the header, form-encoded (RFC 6749, 2.3.1). */
function readBasic(authorization: string | undefined): [name: string, value: string][] {
  const encoded = /^Basic +([\w+/]+={0,2}) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at <= 0) return [];
  const decode = (part: string): string => new URLSearchParams(`v=${part}`).get('v') ?? '';
  return [
    ['client_id', decode(text.slice(0, at))],
    ['client_secret', decode(text.slice(at + 1))],
  ];
}

function needed(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (value !== undefined) return value;
  throw new GrantRefusal(900144, `The request body must contain the following parameter: '${name}'.`);
}

/** Throws GrantRefusal unless the client proves that it is the principal. */
function proveClient(fields: Fields, context: AssertionContext): TokenGrant {
  const [secret, assertion] = [fields.get('client_secret'), fields.get('client_assertion')];
  if (assertion !== undefined) {
    if (needed(fields, 'client_assertion_type') !== bearerAssertion) {
      throw new GrantRefusal(900144, `The parameter client_assertion_type must be '${bearerAssertion}'.`);
    }
    checkAssertion(assertion, context);
    return takeApart(assertion.trimEnd())?.claims['iss'] === federationIssuer ? 'federated' : 'certificate';
  }
  if (secret === undefined) {
    throw new GrantRefusal(
      7000218,
      "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    );
  }
  if (hasSecret(context.principal, secret)) return 'secret';
  throw new GrantRefusal(
    7000215,
    `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${context.principal.clientId}'.`,
  );
}

/** MSAL appends these scopes to the scope of a resource. */
const openIdScopes: ReadonlySet<string> = new Set(['openid', 'offline_access', 'profile', 'email']);

/** The resource in `scope` or, at the endpoint without a version, in the field `resource`. Throws GrantRefusal. */
function readAudience(fields: Fields): string {
  const resource = fields.get('resource');
  if (resource !== undefined && !fields.has('scope')) return checkedAudience(resource, 900144);
  const scopes = needed(fields, 'scope')
    .split(' ')
    .filter((scope) => scope !== '' && !openIdScopes.has(scope));
  const [scope = '', another] = scopes;
  if (another !== undefined) {
    throw new GrantRefusal(
      28000,
      'Provided value for the input parameter scope is not valid because it contains more than one resource.',
    );
  }
  if (scope.endsWith(everything)) return checkedAudience(scope.slice(0, -everything.length), 70011);
  throw new GrantRefusal(
    1002012,
    `The provided value for scope ${shownInError(scope)} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).`,
  );
}

const everything = '/.default';

/** Any address or GUID is accepted: the service that gets the token checks its audience. Throws GrantRefusal. */
export function checkedAudience(audience: string, code: 70011 | 900144 | 900201 = 900201): string {
  if (audiencePattern.test(audience) && audience.length <= audienceCharsMax) return audience;
  throw new GrantRefusal(
    code,
    `The resource principal named ${shownInError(audience)} was not found. Request a token for https://storage.azure.com.`,
  );
}

const audienceCharsMax = 500;
const audiencePattern = /^(?:(?:https?|api):\/\/[\w.:[\]~%/-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
