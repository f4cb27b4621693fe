// Decides who may use the control plane. The address of the peer proves nothing, for two reasons. First, a web page can
// make a browser send requests to the loopback address. Such a request has the origin of the page or, after DNS
// rebinding, the host name of the page. Second, a reverse proxy on this machine forwards requests from anywhere. The
// guard cannot recognise a proxy on this machine that adds no header, so an emulator behind such a proxy needs a token.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4 } from 'node:net';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { foreignPageHeader, isForwarded, isLoopbackAddress, tokenHeader } from '../model/request-source.ts';
import { ControlError, type ControlErrorCode } from './control-error.ts';

export interface GuardOptions {
  /** Name or address that the emulator was configured to listen on. */
  readonly listenHost: string;
  /** The address that it listens on. */
  readonly boundAddress: string;
  /**
   * The control token. A request with this token may come from anywhere. If no token is configured, only this machine
   * may send requests.
   */
  readonly token?: string | undefined;
}

/** The guard of an emulator with these settings, which listens on an address. */
export const guardOf = (
  { host: listenHost, controlToken: token }: { readonly host: string; readonly controlToken?: string | undefined },
  boundAddress: string,
): GuardOptions => ({ listenHost, boundAddress, token });

/** The parts of a request that show where it comes from. */
export interface Approach {
  readonly peerAddress: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly authorization: string | undefined;
  /** Whether a header says that a proxy passed the request on. */
  readonly isForwarded: boolean;
}

/** Public routes need no token: container health checks have none, and browsers send none. */
export function createGuard(
  options: GuardOptions,
  isPublic: (request: FastifyRequest) => boolean,
): onRequestHookHandler {
  return async (request, reply) => {
    const approach = approachOf(request);
    const refusal = isPublic(request) ? findPublicRefusal(approach, options) : findRefusal(approach, options);
    if (refusal?.status === 401) void reply.header('WWW-Authenticate', 'Bearer');
    if (refusal) throw refusal;
  };
}

/**
 * Whether the sender of a request to the table service may also use the control plane. The `Authorization` header of
 * the request is for the table service, so the control token is in a separate header.
 */
export function mayUse({ headers, remoteAddress }: ServiceRequest, options: GuardOptions): boolean {
  const token = firstOf(headers[tokenHeader]);
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return findRefusal({ ...approachBy(headers, remoteAddress), authorization }, options) === undefined;
}

interface ServiceRequest {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
}

function approachOf({ raw: { headers, socket } }: FastifyRequest): Approach {
  return approachBy(headers, socket.remoteAddress);
}

function approachBy(headers: IncomingHttpHeaders, peerAddress: string | undefined): Approach {
  return {
    peerAddress,
    host: headers.host,
    origin: headers.origin,
    fetchSite: firstOf(headers['sec-fetch-site']),
    authorization: headers.authorization,
    isForwarded: isForwarded(headers),
  };
}

/** Whether a program on this machine sent the request itself: not a web page, and not through a proxy. */
export function isThisMachine(request: FastifyRequest): boolean {
  const loopback = '127.0.0.1';
  return findRefusal(approachOf(request), { listenHost: loopback, boundAddress: loopback }) === undefined;
}

/** Why a request is refused; undefined if it may pass. */
export function findRefusal(approach: Approach, options: GuardOptions): ControlError | undefined {
  const refusal =
    options.token === undefined
      ? (findForeignPeer(approach, options) ?? findForwarded(approach))
      : findWrongToken(approach, options.token);
  return refusal ?? findForeignPage(approach);
}

/**
 * Like findRefusal, but for public routes. If the emulator listens on an address other than loopback, public routes
 * answer every peer and accept every Host header.
 */
export function findPublicRefusal(approach: Approach, options: GuardOptions): ControlError | undefined {
  const refusal = isLoopbackAddress(options.boundAddress) ? findForeignPeer(approach, options) : undefined;
  return refusal ?? findForeignPage(approach);
}

function findWrongToken({ authorization }: Approach, token: string): ControlError | undefined {
  const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (sent === undefined) return refuse('TokenMissing', 'Send the control token: Authorization: Bearer <token>.');
  // Hashes have equal lengths, and comparing them takes constant time.
  if (timingSafeEqual(hash(sent), hash(token))) return undefined;
  return refuse('TokenWrong', 'This is not the control token that the emulator was started with.');
}

function findForeignPeer({ peerAddress, host }: Approach, options: GuardOptions): ControlError | undefined {
  if (!isLoopbackAddress(options.boundAddress)) {
    return refuse(
      'TokenNotConfigured',
      'The emulator listens beyond loopback: start it with --control-token or the environment variable TANZANITE_CONTROL_TOKEN, and send that token.',
    );
  }
  if (peerAddress === undefined || !isLoopbackAddress(peerAddress)) {
    return refuse(
      'ForeignPeer',
      'Without a control token only this machine may use the control plane: start with --control-token.',
    );
  }
  const name = nameIn(host);
  if (name === undefined || !(isLoopbackName(name) || name === asInHostHeader(options.listenHost))) {
    return refuse('ForeignHost', 'The Host header names another machine: ask by localhost or 127.0.0.1.');
  }
  return undefined;
}

/** The peer address of a proxy on this machine is this machine's, wherever the request really came from. */
function findForwarded({ isForwarded }: Approach): ControlError | undefined {
  if (!isForwarded) return undefined;
  return refuse(
    'ForwardedRequest',
    'A proxy passed this request on (Forwarded, Via, X-Forwarded-*, X-Client-IP or the like), so its sender is not known: start the emulator with --control-token and send that token.',
  );
}

function findForeignPage(approach: Approach): ControlError | undefined {
  switch (foreignPageHeader(approach)) {
    case 'Sec-Fetch-Site':
      return refuse('ForeignPage', 'A page of another origin sent this (Sec-Fetch-Site): ask from outside a browser.');
    case 'Origin':
      return refuse(
        'ForeignOrigin',
        'The Origin header is not that of the Host asked: ask from outside a browser page.',
      );
    default:
      return undefined;
  }
}

/** The name in a Host header, in lower case and without its port; undefined for a malformed header. */
function nameIn(host: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[^\s:@/\\[\]]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase();
}

function isLoopbackName(name: string): boolean {
  // A trailing dot makes a name absolute; it is still the same name.
  if (/^(?:.+\.)?localhost\.?$/.test(name) || name === '[::1]') return true;
  return isIPv4(name) && name.startsWith('127.');
}

function asInHostHeader(name: string): string {
  return (name.includes(':') ? `[${name}]` : name).toLowerCase();
}

function refuse(code: ControlErrorCode, message: string): ControlError {
  return new ControlError(code, message);
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
