// A request's whole journey, from top to bottom. Which refusal comes first is decided by the order of these lines.

import type { Authenticator } from '../auth/authenticate.ts';
import { checkKeyInRange } from '../auth/authorize.ts';
import type { Grant } from '../auth/grant.ts';
import type { Clock } from '../model/clock.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Replica } from '../operations/get-table-service-stats.ts';
import type { OperationContext, QueryTools } from '../operations/operation-context.ts';
import type { AddressOptions } from '../protocol/address.ts';
import { parseAddress } from '../protocol/address.ts';
import type { QueryReport } from '../query/report.ts';
import type { Store } from '../storage/store.ts';
import { authorizeOperation } from './authorize-operation.ts';
import type { Answer, Call } from './call.ts';
import { ClientGone } from './client-gone.ts';
import type { CorsRules } from './cors-rules.ts';
import { credentialsOf } from './credentials.ts';
import { type Envelope, openEnvelope } from './envelope.ts';
import { errorAnswer } from './error-answer.ts';
import { explainedAnswer } from './explained-answer.ts';
import type { InFlight } from './in-flight.ts';
import type { Manners } from './manners.ts';
import { findOperation } from './operation-list.ts';
import { preflightAnswer } from './preflight.ts';
import { parseTimeoutMs, readTerms } from './request-terms.ts';
import { setTableServicePropertiesOperation } from './service-operations.ts';
import { successAnswer } from './success-answer.ts';

/** What answering takes. */
export interface TableService {
  readonly store: Store;
  readonly queries: QueryTools;
  readonly cors: CorsRules;
  readonly replica: Replica;
  /** What the operations of an account are counted with. */
  readonly meterOf: (account: string) => OperationContext['meter'];
  readonly inFlight: InFlight;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly addressOptions: AddressOptions;
  readonly manners: Manners;
  /** Whether a caller on this machine who is refused is told why in a header of the answer. */
  readonly explainsAuthentication: boolean;
  /** Told of what no client is to blame for. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

export interface Served {
  readonly answer: Answer;
  readonly envelope: Envelope;
  readonly operation: string;
  readonly account: string;
  /** Why a request was refused. */
  readonly refusal?: ServiceError | undefined;
  /** How a query was carried out. */
  readonly report?: QueryReport | undefined;
}

/** Answers a request; never throws. */
export async function serve(call: Call, service: TableService): Promise<Served> {
  const envelope = openEnvelope(call);
  let operationName = 'Unknown';
  let account = '';
  let isServiceLevel = false;
  const isRoomFor = service.inFlight.enter();
  try {
    // Overload is said before anything is looked at: it is to cost as little as can be.
    if (!isRoomFor) throw new ServiceError('ServerBusy', { stage: 'door' });
    const address = parseAddress(call.url, call.headers.host ?? '', service.addressOptions);
    account = address.account;
    const terms = readTerms(call.headers, address, service.manners);
    if (call.method === 'OPTIONS') {
      operationName = 'TablePreflightRequest';
      const rules = await service.cors.of(account);
      const answer = preflightAnswer(call, { rules, envelope, version: terms.version });
      return { answer, envelope, operation: operationName, account };
    }
    const operation = findOperation(address, terms, call);
    operationName = operation.name;
    const known = service.authenticator.authenticate(credentialsOf(call, address, terms));
    const grant = known instanceof Promise ? await known : known;
    isServiceLevel = operation.isServiceLevel ?? false;
    authorizeOperation(grant, operation, address);
    const waitMsMax = parseTimeoutMs(terms);
    const body = operation.takesBody ? await call.readBody() : noBody;
    const request = { address, query: terms.query, terms, body, envelope, clock: service.clock, grant };
    const input = operation.decode(request);
    if (grant.kind !== 'key' && operation.write) checkKeyInRange(grant, operation.write(input).mutation);
    const { isAbandoned } = call;
    const result = await operation.run(contextOf({ account, grant, waitMsMax, isAbandoned }, service), input);
    // A read that nobody waited for may have ended early; what a write did is told as ever.
    if (call.method === 'GET' && isAbandoned()) throw new ClientGone();
    if (operation === setTableServicePropertiesOperation) service.cors.forget(account);
    const reply = operation.encode(result, request, input);
    const plain = successAnswer(reply, { operation, terms, envelope });
    const answer = await service.cors.addTo(plain, { call, account, isServiceLevel });
    return { answer, envelope, operation: operationName, account, report: reply.report };
  } catch (error) {
    // Whoever has hung up while he waited is refused as well, and does not hear that.
    const isUnheard = error instanceof ClientGone || (error instanceof ServiceError && call.isAbandoned());
    if (isUnheard) return { answer: unheard, envelope, operation: operationName, account };
    const { clock, manners } = service;
    const refusal = errorAnswer(error, { call, envelope, clock, manners, isServiceLevel });
    if (refusal.isInternal) service.onInternalError(error, envelope.requestId);
    const explained = service.explainsAuthentication ? explainedAnswer(refusal, call) : refusal.answer;
    const answer = await service.cors.addTo(explained, { call, account, isServiceLevel }).catch(() => explained);
    return { answer, envelope, operation: operationName, account, refusal: refusal.error };
  } finally {
    service.inFlight.leave();
  }
}

const noBody = Buffer.alloc(0);
/** For the log and the metrics alone, which show it as nginx does: the client closed the request. */
const unheard: Answer = { status: 499, headers: [] };

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
