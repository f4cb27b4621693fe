// Who may speak to the control plane. A web page can make a browser send requests to the loopback address, from its own
// origin or, by DNS rebinding, under a name of its own: so the address of the peer alone proves nothing.

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { ControlError, type ControlErrorCode } from './control-error.ts';

export interface GuardOptions {
  /** Name or address the emulator was told to listen on. */
  readonly listenHost: string;
  /** The address that came of it. */
  readonly boundAddress: string;
  /** Who carries it may come from anywhere; without one, only this machine may come. */
  readonly token?: string | undefined;
}

/** What a request shows of where it comes from. */
export interface Approach {
  readonly peerAddress: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly authorization: string | undefined;
}

/** Lets what is public pass without a token: who watches over a container has none, and a browser sends none. */
export function createGuard(
  options: GuardOptions,
  isPublic: (request: FastifyRequest) => boolean,
): onRequestHookHandler {
  return async (request, reply) => {
    const { headers, socket } = request.raw;
    const approach = {
      peerAddress: socket.remoteAddress,
      host: headers.host,
      origin: headers.origin,
      fetchSite: oneOf(headers['sec-fetch-site']),
      authorization: headers.authorization,
    };
    const refusal = isPublic(request) ? findPublicRefusal(approach, options) : findRefusal(approach, options);
    if (refusal?.status === 401) void reply.header('WWW-Authenticate', 'Bearer');
    if (refusal) throw refusal;
  };
}

/** Why a request may not pass; undefined where it may. */
export function findRefusal(approach: Approach, options: GuardOptions): ControlError | undefined {
  const stranger =
    options.token === undefined ? findStranger(approach, options) : findWrongToken(approach, options.token);
  return stranger ?? findForeignPage(approach);
}

/** The same for what is public. An emulator that listens beyond loopback is asked for it by any name. */
export function findPublicRefusal(approach: Approach, options: GuardOptions): ControlError | undefined {
  const stranger = isLoopbackAddress(options.boundAddress) ? findStranger(approach, options) : undefined;
  return stranger ?? findForeignPage(approach);
}

function findWrongToken({ authorization }: Approach, token: string): ControlError | undefined {
  const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (sent === undefined) return refuse('TokenMissing', 'Send the control token: Authorization: Bearer <token>.');
  // Hashes have one length, and comparing them takes one time.
  if (timingSafeEqual(hash(sent), hash(token))) return undefined;
  return refuse('TokenWrong', 'This is not the control token that the emulator was started with.');
}

function findStranger({ peerAddress, host }: Approach, options: GuardOptions): ControlError | undefined {
  if (!isLoopbackAddress(options.boundAddress)) {
    return refuse(
      'TokenNotConfigured',
      'The emulator listens beyond loopback: start it with --control-token or the environment variable TANZANITE_CONTROL_TOKEN, and send that token.',
    );
  }
  if (peerAddress === undefined || !isLoopbackAddress(peerAddress)) {
    return refuse('ForeignPeer', 'Without a control token only this machine may ask: start with --control-token.');
  }
  const name = nameIn(host);
  if (name === undefined || !(isLoopbackName(name) || name === inHostHeader(options.listenHost))) {
    return refuse('ForeignHost', 'The Host header names another machine: ask by localhost or 127.0.0.1.');
  }
  return undefined;
}

function findForeignPage({ host, origin, fetchSite }: Approach): ControlError | undefined {
  // Another port of this machine is the same site: its pages can send a GET without an Origin.
  if (fetchSite !== undefined && !/^(same-origin|none)$/i.test(fetchSite)) {
    return refuse('ForeignPage', 'A page of another origin sent this (Sec-Fetch-Site): ask from outside a browser.');
  }
  if (origin === undefined || hostOf(origin) === host?.toLowerCase()) return undefined;
  return refuse('ForeignOrigin', 'The Origin header is not that of the Host asked: ask from outside a browser page.');
}

/** Host and port of an origin as browsers write it; an empty text, which no Host equals, for `null` and all else. */
function hostOf(origin: string): string {
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return '';
  const url = new URL(origin);
  return url.origin === origin.toLowerCase() ? url.host : '';
}

/** The name in a Host header, in lower case and without its port; undefined where it is none. */
function nameIn(host: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[^\s:@/\\[\]]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase();
}

function isLoopbackName(name: string): boolean {
  // A dot at the end makes a name absolute, and it stays the same one.
  if (/^(?:.+\.)?localhost\.?$/.test(name) || name === '[::1]') return true;
  return isIPv4(name) && name.startsWith('127.');
}

function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

function inHostHeader(name: string): string {
  return (name.includes(':') ? `[${name}]` : name).toLowerCase();
}

function refuse(code: ControlErrorCode, message: string): ControlError {
  return new ControlError(code, message);
}

function oneOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
