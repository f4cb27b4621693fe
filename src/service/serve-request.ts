// A request's whole journey, from top to bottom. Which refusal comes first is decided by the order of these lines.

import type { Authenticator } from '../auth/authenticate.ts';
import { checkKeyInRange } from '../auth/authorize.ts';
import type { Grant } from '../auth/grant.ts';
import type { Clock } from '../model/clock.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Replica } from '../operations/get-table-service-stats.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { AddressOptions } from '../protocol/address.ts';
import { parseAddress } from '../protocol/address.ts';
import type { QueryReport } from '../query/report.ts';
import type { Store } from '../storage/store.ts';
import { authorizeOperation } from './authorize-operation.ts';
import { ClientDisconnected } from './client-disconnected.ts';
import type { Compatibility } from './compatibility.ts';
import type { CorsRules } from './cors-rules.ts';
import { credentialsOf } from './credentials.ts';
import { errorResponse } from './error-response.ts';
import { explainedResponse } from './explained-response.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import type { InFlight } from './in-flight.ts';
import { negotiateHeaders, parseTimeoutMs } from './negotiated-headers.ts';
import { findOperation } from './operation-table.ts';
import { preflightResponse } from './preflight.ts';
import { type RequestIds, readRequestIds } from './request-ids.ts';
import { successResponse } from './success-response.ts';

/** What answering takes. */
export interface TableService {
  readonly store: Store;
  readonly queries: Pick<OperationContext, 'filters' | 'pageBoundaries'>;
  readonly cors: CorsRules;
  readonly replica: Replica;
  /** What the operations of an account are counted with. */
  readonly meterOf: (account: string) => OperationContext['meter'];
  readonly inFlight: InFlight;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly addressOptions: AddressOptions;
  readonly compatibility: Compatibility;
  /** Whether a caller on this machine who is refused is told why in a header of the answer. */
  readonly explainsAuthentication: boolean;
  /** Told of what no client is to blame for. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

export interface Exchange {
  readonly answer: HttpResponse;
  readonly ids: RequestIds;
  readonly operation: string;
  readonly account: string;
  /** Why a request was refused. */
  readonly refusal?: ServiceError | undefined;
  /** How a query was carried out. */
  readonly report?: QueryReport | undefined;
}

/** Answers a request; never throws. */
export async function serveRequest(call: HttpRequest, service: TableService): Promise<Exchange> {
  const ids = readRequestIds(call);
  let operationName = 'Unknown';
  let account = '';
  let isServiceLevel = false;
  const isRoomFor = service.inFlight.enter();
  try {
    // Overload is said before anything is looked at: it is to cost as little as can be.
    if (!isRoomFor) throw new ServiceError('ServerBusy', { stage: 'frontEnd' });
    const address = parseAddress(call.url, call.headers.host ?? '', service.addressOptions);
    account = address.account;
    const negotiated = negotiateHeaders(call.headers, address, service.compatibility);
    if (call.method === 'OPTIONS') {
      operationName = 'TablePreflightRequest';
      const rules = await service.cors.of(account);
      const answer = preflightResponse(call, { rules, ids, version: negotiated.version });
      return { answer, ids, operation: operationName, account };
    }
    const operation = findOperation(address, negotiated, call);
    operationName = operation.name;
    const known = service.authenticator.authenticate(credentialsOf(call, address, negotiated));
    const grant = known instanceof Promise ? await known : known;
    isServiceLevel = operation.isServiceLevel ?? false;
    authorizeOperation(grant, operation, address);
    const waitMsMax = parseTimeoutMs(negotiated);
    const body = operation.takesBody ? await call.readBody() : noBody;
    const request = { address, query: negotiated.query, negotiated, body, ids, clock: service.clock, grant };
    const input = operation.decode(request);
    if (grant.kind !== 'key' && operation.write) checkKeyInRange(grant, operation.write(input).mutation);
    const { isAbandoned } = call;
    const result = await operation.run(contextOf({ account, grant, waitMsMax, isAbandoned }, service), input);
    // A read that nobody waited for may have ended early; what a write did is told as ever.
    if (call.method === 'GET' && isAbandoned()) throw new ClientDisconnected();
    const reply = operation.encode(result, request, input);
    const plain = successResponse(reply, { operation, negotiated, ids });
    const answer = await service.cors.addTo(plain, { call, account, isServiceLevel });
    return { answer, ids, operation: operationName, account, report: reply.report };
  } catch (error) {
    // Whoever has hung up while he waited is refused as well, and does not hear that.
    const isUnheard = error instanceof ClientDisconnected || (error instanceof ServiceError && call.isAbandoned());
    if (isUnheard) return { answer: unheard, ids, operation: operationName, account };
    const { clock, compatibility } = service;
    const refusal = errorResponse(error, { call, ids, clock, compatibility, isServiceLevel });
    if (refusal.isInternal) service.onInternalError(error, ids.requestId);
    const explained = service.explainsAuthentication ? explainedResponse(refusal, call) : refusal.answer;
    const answer = await service.cors.addTo(explained, { call, account, isServiceLevel }).catch(() => explained);
    return { answer, ids, operation: operationName, account, refusal: refusal.error };
  } finally {
    service.inFlight.leave();
  }
}

const noBody = Buffer.alloc(0);
/** For the log and the metrics alone, which show it as nginx does: the client closed the request. */
const unheard: HttpResponse = { status: 499, headers: [] };

interface Caller {
  readonly account: string;
  readonly grant: Grant;
  readonly waitMsMax: number;
  readonly isAbandoned: () => boolean;
}

function contextOf({ account, grant, waitMsMax, isAbandoned }: Caller, service: TableService): OperationContext {
  const { store, queries, clock, replica } = service;
  const { filters, pageBoundaries } = queries;
  const range = grant.kind === 'tableSas' ? grant.range : undefined;
  const meter = service.meterOf(account);
  const accountStore = store.account(account);
  return { store: accountStore, filters, pageBoundaries, clock, replica, range, meter, waitMsMax, isAbandoned };
}
