// The answers of the issuer. Loaded on first use.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { entraErrorOf, GrantRefusal, shownInError } from '../../identity/entra-error.ts';
import { adfsTenant } from '../../identity/identifiers.ts';
import { appServiceAnswer, imdsAnswer } from '../../identity/managed-identity.ts';
import { keySet, openIdConfiguration, type TenantAddress, tokenEndpoints } from '../../identity/openid-documents.ts';
import { ControlError } from '../control-error.ts';
import type { ControlTools } from '../control-route.ts';
import { isThisMachine } from '../guard.ts';
import type { IssuerCall } from './identity-of.ts';
import { issuerFault } from './issuer-fault.ts';

/** GET …/.well-known/openid-configuration */
export async function answerConfiguration(call: IssuerCall): Promise<object> {
  return openIdConfiguration(addressOf(call));
}

/** GET …/discovery/v2.0/keys */
export async function answerKeys(call: IssuerCall): Promise<object> {
  addressOf(call);
  const issuer = await call.identity.issuer();
  return keySet(await issuer.keys());
}

/** POST …/oauth2/v2.0/token */
export async function answerToken(call: IssuerCall): Promise<object> {
  const { request, identity } = call;
  const { base, tenant } = addressOf(call);
  const audiences = [base, `${base}${below}`].flatMap((at) => tokenEndpoints({ base: at, tenant }));
  const issuer = await identity.issuer();
  const fields = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
  const { authorization } = request.headers;
  const { token, until, now } = await issuer.grant({ fields, authorization }, audiences);
  return { token_type: 'Bearer', expires_in: until - now, ext_expires_in: until - now, access_token: token };
}

/** GET /metadata/identity/oauth2/token. Evidence: documented; assumed for the texts of refusals */
export async function answerImds({ request, identity }: IssuerCall): Promise<object> {
  // This route needs no secret, so only a program on this machine gets a token. Pages and proxies get no token, because
  // they may act for somebody else.
  if (request.headers['x-forwarded-for'] !== undefined || !isThisMachine(request)) {
    throw new ControlError('ForeignPeer', 'Only a program on this machine can have a managed identity.');
  }
  if (String(request.headers['metadata']).toLowerCase() !== 'true') {
    throw new GrantRefusal(900144, 'Required metadata header not specified: send Metadata: true.');
  }
  const issuer = await identity.issuer();
  return imdsAnswer(await issuer.grantManaged('imds', queryOf(request)));
}

/** GET of IDENTITY_ENDPOINT. Evidence: documented; assumed for the texts of refusals */
export async function answerAppService({ request, identity }: IssuerCall): Promise<object> {
  const issuer = await identity.issuer();
  const sent = request.headers['x-identity-header'];
  if (typeof sent !== 'string' || !(await issuer.hasIdentityHeader(sent))) {
    throw new GrantRefusal(7000218, 'The header X-IDENTITY-HEADER must be that of IDENTITY_HEADER.');
  }
  return appServiceAnswer(await issuer.grantManaged('app service', queryOf(request)));
}

interface RefusedCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly tools: ControlTools;
}

/**
 * Sends a refusal. Refusals by the issuer have the form of Entra's errors. All other refusals have the form of the
 * control plane's errors.
 */
export function answerRefusal(error: Error, { reply, tools }: RefusedCall): void {
  const refusal = grantRefusalOf(error);
  if (!refusal) {
    void reply.code(issuerFault(error, tools).status).send(bodyOf(issuerFault(error, tools)));
    return;
  }
  tools.log?.info({ code: refusal.code }, `no token: ${refusal.message}`);
  void reply.code(statusOf(error, refusal)).send(entraErrorOf(refusal, tools.modelTime.nowMs()));
}

const bodyOf = ({ code, message }: ControlError): object => ({ error: { code, message } });

function statusOf(error: Error, { status }: GrantRefusal): number {
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : status;
}

/** Errors of the router are faults of the client's request. */
function grantRefusalOf(error: Error & { readonly statusCode?: number }): GrantRefusal | undefined {
  if (error instanceof GrantRefusal) return error;
  if (error instanceof ControlError) return undefined;
  if (error.statusCode === 413) return new GrantRefusal(90014, 'The body has more than 65536 bytes.');
  if (error.statusCode === 415 || error.statusCode === 400) {
    return new GrantRefusal(90014, 'The body must be a form: application/x-www-form-urlencoded.');
  }
  return undefined;
}

const below = '/_emulator/identity';

/** The tenant in the path, at the origin that the Host header names. Throws GrantRefusal for another tenant. */
function addressOf({ request, identity }: IssuerCall): TenantAddress {
  const { tenant } = request.params as { readonly tenant: string };
  const { tenant: own } = identity.tokenIssuer;
  if (tenant !== adfsTenant && tenant.toLowerCase() !== own) {
    throw new GrantRefusal(
      90002,
      `Tenant ${shownInError(tenant)} not found. The tenant of this emulator is ${own}, also by the name adfs.`,
    );
  }
  return { base: originOf(request), tenant };
}

/** Throws ControlError for a Host that is not a name with a port. */
function originOf({ headers: { host = '' }, raw: { socket } }: FastifyRequest): string {
  if (!/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host) || !URL.canParse(`http://${host}`)) {
    throw new ControlError('ForeignHost', 'The Host header is not a name with a port.');
  }
  return `${'encrypted' in socket ? 'https' : 'http'}://${host}`;
}

/** The query as sent: a library may leave `://` unescaped. */
function queryOf({ originalUrl }: FastifyRequest): URLSearchParams {
  const at = originalUrl.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : originalUrl.slice(at + 1));
}
