// Serves one request. The order of the steps decides which refusal comes first.

import type { Authenticator } from '../auth/authenticate.ts';
import { checkKeyInRange } from '../auth/authorize.ts';
import type { Grant } from '../auth/grant.ts';
import type { BufferPool } from '../model/buffer-pool.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { faultHeader } from '../model/request-source.ts';
import type { Schedule } from '../model/schedule.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Clock, MachineTime } from '../model/time.ts';
import type { Replica } from '../operations/get-table-service-stats.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { ParseAddressOptions } from '../protocol/address.ts';
import { type Address, parseAddress } from '../protocol/address.ts';
import type { Store } from '../storage/store.ts';
import { authorizeOperation } from './authorize-operation.ts';
import { ClientDisconnected } from './client-disconnected.ts';
import type { Compatibility } from './compatibility.ts';
import type { CorsRules } from './cors-rules.ts';
import { credentialsOf } from './credentials.ts';
import { errorResponse } from './error-response.ts';
import { explainedBatch, explainedResponse } from './explained-response.ts';
import {
  clientClosedStatus,
  recordAddress,
  recordBody,
  recordHeaders,
  recordResult,
  recordWrite,
} from './fill-record.ts';
import { checkForeignWrite, isForeignWrite } from './foreign-page.ts';
import { type Delivery, type HttpRequest, type HttpResponse, hangUp, responseOf } from './http-message.ts';
import type { InFlight } from './in-flight.ts';
import { negotiateHeaders, parseTimeoutMs } from './negotiated-headers.ts';
import { findOperation } from './operation-table.ts';
import { preflightResponse } from './preflight.ts';
import { GivenInstead, passSeams, type SeamList, type SeamPlace, type Seams } from './seams.ts';
import { successResponse } from './success-response.ts';

/** What serving a request needs. */
export interface TableService {
  readonly store: Store;
  readonly queries: Pick<OperationContext, 'filters' | 'pageBoundaries'>;
  readonly cors: CorsRules;
  readonly replica: Replica;
  readonly capacity: {
    /** Meters the operations of an account. */
    meter(account: string): OperationContext['meter'];
  };
  readonly inFlight: InFlight;
  /**
   * Memory for large request and response bodies. The HTTP server returns a buffer to the pool when nothing reads the
   * buffer any more.
   */
  readonly buffers: BufferPool;
  readonly authenticator: Authenticator;
  /** Model time: timestamps and signatures. */
  readonly clock: Clock;
  /** Machine time: durations and deadlines. */
  readonly time: MachineTime;
  readonly schedule: Schedule;
  readonly addressOptions: Pick<ParseAddressOptions, 'isHostStyleKnown'>;
  readonly compatibility: Compatibility;
  /** Whether the response to a refused request from this machine says why in a header. */
  readonly explainsRefusals: boolean;
  /** Receives every failure that is not a refusal of the service. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
  /** See seams.ts. */
  readonly seams: SeamList;
  /**
   * Returns the seams of a request that has its own fault in a header. Returns undefined if the sender of the request
   * is not allowed to use faults. Throws a ServiceError for a malformed fault.
   */
  readonly seamsOf?: (request: HttpRequest) => readonly Seams[] | undefined;
}

/**
 * Answers a request that has entered `service.inFlight`, and fills in its record, except for the delivery. The caller
 * sends the delivery, records it, and then calls `service.inFlight.leave`. Never rejects.
 */
export function serveRequest(request: HttpRequest, record: RequestRecord, service: TableService): Promise<Delivery> {
  const seams = service.seams.current;
  const exchange: Exchange = { request, record, service, seams, isServiceLevel: false, isRun: false };
  if (request.headers[faultHeader] !== undefined && service.seamsOf) return answerWithFault(exchange, service.seamsOf);
  return seams.length > 0 ? answerThroughSeams(exchange) : answer(exchange);
}

/** Answers a request that has its own fault in a header. */
function answerWithFault(exchange: Exchange, seamsOf: NonNullable<TableService['seamsOf']>): Promise<Delivery> {
  try {
    const seams = seamsOf(exchange.request) ?? exchange.seams;
    return answerThroughSeams({ ...exchange, seams });
  } catch (error) {
    return fail(error, exchange);
  }
}

async function answerThroughSeams(exchange: Exchange): Promise<Delivery> {
  const { record, seams } = exchange;
  let delivery = await answer(exchange);
  try {
    for (const seam of seams) {
      const response = responseOf(delivery);
      if (response && seam.atSend) delivery = (await seam.atSend(record, response)) ?? delivery;
    }
    return delivery;
  } catch (error) {
    return fail(error, exchange);
  }
}

/** A request, and what is known about it so far. */
interface Exchange {
  readonly request: HttpRequest;
  readonly record: RequestRecord;
  readonly service: TableService;
  readonly seams: readonly Seams[];
  /** Whether the caller is authenticated and asks for an operation on the service itself. */
  isServiceLevel: boolean;
  /** Whether the request is free of errors, so that it is about to be carried out or has been carried out. */
  isRun: boolean;
}

async function answer(exchange: Exchange): Promise<Delivery> {
  const { request, record, service, seams } = exchange;
  const { clock, schedule, buffers } = service;
  const hasSeams = seams.length > 0;
  try {
    // Overload is refused before anything is read, so that the refusal costs as little as possible.
    if (!service.inFlight.admit()) throw new ServiceError('ServerBusy', { stage: 'frontEnd' });
    const address = parseAddress(request.url, request.headers.host ?? '', {
      scheme: request.isSecure ? 'https' : 'http',
      isHostStyleKnown: service.addressOptions.isHostStyleKnown,
    });
    const { account } = address;
    recordAddress(record, address);
    const negotiated = negotiateHeaders(request.headers, address, service.compatibility);
    recordHeaders(record, negotiated);
    if (request.method === 'OPTIONS') {
      record.operation = 'TablePreflightRequest';
      const instead = hasSeams && (await passBeforeRun(exchange));
      if (instead) return instead;
      const rules = await service.cors.of(account);
      return preflightResponse(request, { rules, ids: record, version: negotiated.version });
    }
    const operation = findOperation(address, negotiated, request);
    record.operation = operation.name;
    if (!service.compatibility.allowsForeignPages && isForeignWrite(request)) {
      checkForeignWrite(request, await service.cors.of(account));
    }
    const early = hasSeams && (await passSeams(seams, 'beforeAuthentication', { record, place: placeIn(exchange) }));
    if (early) return early;
    const grant = await service.authenticator.authenticate(credentialsOf(request, address, negotiated, record));
    record.credential = grant.kind;
    if (grant.kind === 'bearer') record.principal = grant.principal;
    exchange.isServiceLevel = operation.isServiceLevel ?? false;
    authorizeOperation(grant, operation, address);
    const waitMsMax = parseTimeoutMs(negotiated);
    const body = operation.takesBody ? await request.readBody() : noBody;
    if (operation.takesBody) recordBody(record, body, service.time);
    const tableRequest = {
      address,
      query: negotiated.query,
      negotiated,
      body,
      record,
      clock,
      schedule,
      buffers,
      grant,
    };
    const input = operation.decode(tableRequest);
    if (operation.write && grant.kind !== 'key') checkKeyInRange(grant, operation.write(input).mutation);
    const { isAbandoned } = request;
    let context = contextOf({ address, grant, waitMsMax, isAbandoned, record }, service);
    if (hasSeams) {
      if (operation.write) recordWrite(record, operation.write(input).mutation);
      const instead = await passBeforeRun(exchange);
      if (instead) return instead;
      context = await throughSeams(context, exchange);
    }
    const result = await operation.run(context, input);
    // A read whose client has disconnected may have ended early; a write is answered nevertheless.
    if (request.method === 'GET' && isAbandoned()) throw new ClientDisconnected();
    const late = hasSeams && (await passSeams(seams, 'afterCommit', { record, place: placeIn(exchange) }));
    if (late) return late;
    const encoded = operation.encode(result, tableRequest, input);
    recordResult(record, encoded);
    const made = successResponse(encoded, { operation, negotiated, ids: record });
    const response = service.explainsRefusals ? explainedBatch(made, record) : made;
    return await withCors(response, exchange);
  } catch (error) {
    return hasSeams ? failThroughSeams(error, exchange) : fail(error, exchange);
  }
}

function placeIn({ request: { isAbandoned, whenOver } }: Exchange, member?: number): SeamPlace {
  return { member, isAbandoned, whenOver };
}

function passBeforeRun(exchange: Exchange): Promise<Delivery | undefined> {
  const { record, seams } = exchange;
  exchange.isRun = true;
  return passSeams(seams, 'beforeRun', { record, place: placeIn(exchange) });
}

/**
 * Adds `passMember` to the context of an operation, and then lets the seams change the context. The operation of a
 * batch calls `passMember` for each operation inside the batch, so that the inner operation passes the seams too.
 */
async function throughSeams(context: OperationContext, exchange: Exchange): Promise<OperationContext> {
  const { record, seams } = exchange;
  let given: OperationContext = {
    ...context,
    async passMember(name, member) {
      const outcome = await passSeams(seams, name, { record, place: placeIn(exchange, member) });
      if (outcome) throw new GivenInstead(outcome);
    },
  };
  for (const seam of seams) if (seam.inContext) given = await seam.inContext(given);
  return given;
}

async function failThroughSeams(error: unknown, exchange: Exchange): Promise<Delivery> {
  const { request, record, seams, isRun } = exchange;
  if (error instanceof GivenInstead) return error.delivery;
  if (isRun || !(error instanceof ServiceError)) return fail(error, exchange);
  // A seam may hold the request until its client disconnects.
  request.discardBody();
  try {
    const instead = await passSeams(seams, 'beforeRefusal', { record, place: placeIn(exchange) });
    return instead ?? (await fail(error, exchange));
  } catch (other) {
    return fail(other, exchange);
  }
}

/** The response to a request that failed, in the service's own words. A client that has disconnected gets none. */
async function fail(error: unknown, exchange: Exchange): Promise<Delivery> {
  const { request, record, service, isServiceLevel } = exchange;
  if (error instanceof ClientDisconnected || (error instanceof ServiceError && request.isAbandoned())) {
    record.status = clientClosedStatus;
    return hangUp;
  }
  const { clock, compatibility } = service;
  const refusal = errorResponse(error, { request, ids: record, clock, compatibility, isServiceLevel });
  record.refusal = refusal.error;
  if (refusal.isInternal) service.onInternalError(error, record.requestId);
  return withCors(service.explainsRefusals ? explainedResponse(refusal, record) : refusal.response, exchange);
}

/**
 * Adds CORS headers if the rules can be read. A failure to read the rules must not hide that an operation was carried
 * out.
 */
function withCors(
  response: HttpResponse,
  { request, record, service, isServiceLevel }: Exchange,
): Promise<HttpResponse> {
  const target = { call: request, account: record.account, isServiceLevel };
  return service.cors.addTo(response, target).catch(() => response);
}

const noBody = Buffer.alloc(0);

interface Caller {
  readonly address: Address;
  readonly grant: Grant;
  readonly waitMsMax: number;
  readonly isAbandoned: () => boolean;
  readonly record: RequestRecord;
}

function contextOf(caller: Caller, { store, queries, clock, replica, capacity }: TableService): OperationContext {
  const { address, grant, waitMsMax, isAbandoned, record } = caller;
  const { account, secondary } = address;
  return {
    store: ((secondary && store.secondary) || store).account(account),
    meter: capacity.meter(account),
    filters: queries.filters,
    pageBoundaries: queries.pageBoundaries,
    clock,
    replica,
    waitMsMax,
    isAbandoned,
    request: record,
    range: grant.kind === 'tableSas' ? grant.range : undefined,
    record,
  };
}
