// A request's whole journey, from top to bottom. Which refusal comes first is decided by the order of these lines.

import type { Authenticator } from '../auth/authenticate.ts';
import type { Clock } from '../model/clock.ts';
import type { OperationContext, QueryTools } from '../operations/operation-context.ts';
import type { AddressOptions } from '../protocol/address.ts';
import { parseAddress } from '../protocol/address.ts';
import type { QueryReport } from '../query/report.ts';
import type { Store } from '../storage/store.ts';
import type { Answer, Call } from './call.ts';
import { credentialsOf } from './credentials.ts';
import { type Envelope, openEnvelope } from './envelope.ts';
import { errorAnswer } from './error-answer.ts';
import type { Manners } from './manners.ts';
import { findOperation } from './operation-list.ts';
import { readTerms } from './request-terms.ts';
import { successAnswer } from './success-answer.ts';

/** What answering takes. */
export interface TableService {
  readonly store: Store;
  readonly queries: QueryTools;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly addressOptions: AddressOptions;
  readonly manners: Manners;
  /** Told of what no client is to blame for. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

export interface Served {
  readonly answer: Answer;
  readonly envelope: Envelope;
  readonly operation: string;
  readonly account: string;
  readonly errorCode?: string;
  /** How a query was carried out. */
  readonly report?: QueryReport | undefined;
}

/** Answers a request; never throws. */
export async function serve(call: Call, service: TableService): Promise<Served> {
  const envelope = openEnvelope(call);
  let operationName = 'Unknown';
  let account = '';
  try {
    const address = parseAddress(call.url, call.headers.host ?? '', service.addressOptions);
    account = address.account;
    const terms = readTerms(call.headers, address, service.manners);
    const operation = findOperation(address, terms, call);
    operationName = operation.name;
    if (!operation.isAnonymous) service.authenticator.authenticate(credentialsOf(call, address, terms));
    const body = operation.takesBody ? await call.readBody() : noBody;
    const request = { address, query: terms.query, terms, body, envelope, clock: service.clock };
    const input = operation.decode(request);
    const result = await operation.run(contextOf(account, service), input);
    const reply = operation.encode(result, request, input);
    const answer = successAnswer(reply, { operation, terms, envelope });
    return { answer, envelope, operation: operationName, account, report: reply.report };
  } catch (error) {
    const refusal = errorAnswer(error, { call, envelope, clock: service.clock, manners: service.manners });
    if (refusal.isInternal) service.onInternalError(error, envelope.requestId);
    return { answer: refusal.answer, envelope, operation: operationName, account, errorCode: refusal.code };
  }
}

function contextOf(account: string, { store, queries: { filters, pageBoundaries } }: TableService): OperationContext {
  return { store: store.account(account), filters, pageBoundaries };
}

const noBody = Buffer.alloc(0);
