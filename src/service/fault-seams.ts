// Carries out the faults that rules choose (src/faults), at the seams of a request (seams.ts). The record of the
// request names the rule.

import { type Fault, isStagedOutcome, placeOf } from '../faults/fault-rule.ts';
import type { FaultSubject } from '../faults/match-rule.ts';
import type { FaultRules, Strike } from '../faults/rule-list.ts';
import type { ErrorCode } from '../model/error-catalogue.ts';
import { quote } from '../model/printable-text.ts';
import type { BatchMember, RequestRecord } from '../model/request-record.ts';
import { faultHeader } from '../model/request-source.ts';
import { type RefusalStage, ServiceError } from '../model/service-error.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { HttpHeader } from '../protocol/http-headers.ts';
import type { AccountStore } from '../storage/store.ts';
import { ClientDisconnected } from './client-disconnected.ts';
import { EmptyPages } from './empty-pages.ts';
import type { Holds } from './holds.ts';
import { connectionReset, type Drip, type HttpResponse, hangUp } from './http-message.ts';
import type { SeamOutcome, SeamPlace, Seams } from './seams.ts';
import type { StaleViews } from './stale-views.ts';

export interface FaultSeamsOptions {
  readonly rules: Pick<FaultRules, 'choose'>;
  readonly holds: Holds;
  readonly views?: StaleViews | undefined;
}

/** The fault that a rule chose for a request, and whether the fault has taken effect. */
interface Struck {
  readonly strike: Strike;
  readonly place: SeamPlace;
  isMet: boolean;
}

export class FaultSeams implements Seams {
  readonly #rules: Pick<FaultRules, 'choose'>;
  readonly #holds: Holds;
  readonly #views: StaleViews | undefined;
  readonly #emptyPages = new EmptyPages();
  readonly #struck = new WeakMap<RequestRecord, Struck>();

  constructor({ rules, holds, views }: FaultSeamsOptions) {
    this.#rules = rules;
    this.#holds = holds;
    this.#views = views;
  }

  async beforeRefusal(record: RequestRecord, place: SeamPlace): Promise<SeamOutcome> {
    const struck = this.#meet(record, place, subjectOf(record, true));
    return struck && this.#actBefore(struck, place);
  }

  async beforeRun(record: RequestRecord, place: SeamPlace): Promise<SeamOutcome> {
    const struck = place.member === undefined ? this.#meetRun(record, place) : this.#struck.get(record);
    return struck && memberOf(struck) === place.member ? this.#actBefore(struck, place) : undefined;
  }

  inContext(context: OperationContext): OperationContext {
    const struck = this.#struck.get(context.record);
    const fault = struck?.strike.fault;
    if (fault?.kind === 'shortPage') return { ...context, pageEntitiesMax: fault.entities };
    if (fault?.kind !== 'stale' || !struck || !this.#views) return context;
    struck.isMet = true;
    // The type is safe: reads of entities use only the members of a store that a view has.
    const store = this.#views.readsOf(context.record.account, fault.ms) as AccountStore;
    return { ...context, store };
  }

  async afterCommit(record: RequestRecord, place: SeamPlace): Promise<SeamOutcome> {
    const struck = this.#struck.get(record);
    if (!struck || placeOf(struck.strike.fault) !== 'afterCommit' || memberOf(struck) !== place.member)
      return undefined;
    // A batch with a refused operation has committed nothing.
    if (place.member === undefined && record.members.some(isRefused)) return undefined;
    return this.#act(struck, place);
  }

  atSend(record: RequestRecord, response: HttpResponse): SeamOutcome {
    const struck = this.#struck.get(record);
    if (!struck) return undefined;
    const { strike, isMet } = struck;
    const { fault, label } = strike;
    if (!isMet && !isMetAtSend(fault, record)) {
      strike.undo();
      record.fault = undefined;
      return undefined;
    }
    if (fault.kind === 'shortPage' && fault.entities === 0) this.#emptyPages.note(record, response);
    return this.#sendBy(struck, named(response, label, fault));
  }

  #meetRun(record: RequestRecord, place: SeamPlace): Struck | undefined {
    const followsEmptyPage = this.#emptyPages.takeFollower(record);
    return this.#meet(record, place, { ...subjectOf(record, false), followsEmptyPage });
  }

  #meet(record: RequestRecord, place: SeamPlace, subject: FaultSubject): Struck | undefined {
    const strike = this.#rules.choose(subject);
    if (!strike) return undefined;
    const struck = { strike, place, isMet: false };
    this.#struck.set(record, struck);
    const { kind } = strike.fault;
    record.fault = { rule: strike.label, kind, isOutcome: isStagedOutcome({ kind }) };
    return struck;
  }

  async #actBefore(struck: Struck, place: SeamPlace): Promise<SeamOutcome> {
    return placeOf(struck.strike.fault) === 'beforeCommit' ? this.#act(struck, place) : undefined;
  }

  async #act(struck: Struck, { whenOver, isAbandoned }: SeamPlace): Promise<SeamOutcome> {
    const { strike } = struck;
    const { fault, id, label, delayMs } = strike;
    switch (fault.kind) {
      case 'error':
        struck.isMet = true;
        throw staged(fault.code, label);
      case 'expireContinuation':
        struck.isMet = true;
        throw staged('InvalidInput', label);
      case 'delay':
        struck.isMet = true;
        await this.#holds.wait(id, whenOver, delayMs);
        return undefined;
      case 'timeout':
        struck.isMet = true;
        await this.#holds.wait(id, whenOver, delayMs);
        throw staged('OperationTimedOut', label, isDone(fault) ? 'The write was carried out.' : 'Nothing was written.');
      case 'hang':
        struck.isMet = true;
        await this.#holds.wait(id, whenOver);
        if (isAbandoned()) throw new ClientDisconnected();
        return hangUp;
      case 'reset':
        struck.isMet = true;
        return connectionReset;
      default:
        return undefined;
    }
  }

  #sendBy({ strike: { id, fault }, place }: Struck, response: HttpResponse): SeamOutcome {
    const length = response.body?.length ?? 0;
    if (fault.kind === 'reset') {
      if (length === 0) return connectionReset;
      return { kind: 'cut', response: withLength(response), afterBytes: length >> 1, isReset: true };
    }
    if (fault.kind === 'truncate' && fault.bytes < length) {
      return { kind: 'cut', response: withLength(response), afterBytes: fault.bytes };
    }
    if (fault.kind === 'drip' && length > 0) {
      const { bytesPerSecond } = fault;
      const hold = this.#holds.open(id, place.whenOver);
      return { kind: 'drip', response: withLength(response), bytesPerSecond, ...hold } satisfies Drip;
    }
    return response;
  }
}

/** Whether a fault acts on the response, or is visible in it. */
function isMetAtSend({ kind }: Fault, { givesContinuation, batchSize, refusal, members }: RequestRecord): boolean {
  if (kind === 'shortPage') return givesContinuation || (batchSize > 0 && !refusal && !members.some(isRefused));
  return kind === 'truncate' || kind === 'drip' || kind === 'reset';
}

const isDone = (fault: Fault): boolean => placeOf(fault) === 'afterCommit';
const isRefused = ({ refusal }: BatchMember): boolean => refusal !== undefined;

/** The index of the operation of a batch that the fault strikes. */
function memberOf({ strike: { index, fault } }: Struck): number | undefined {
  return index ?? (fault.kind === 'error' ? fault.failedAt : undefined);
}

/** The properties of a request that the conditions of rules are compared with. */
function subjectOf(record: RequestRecord, isRefusedEarly: boolean): FaultSubject {
  const { operation, credential, followsContinuation, isOfSecondary } = record;
  const members = isRefusedEarly || record.members.some(isRefused) ? [] : record.members;
  const shared = {
    account: record.account === '' ? undefined : record.account,
    userAgent: record.userAgent,
    credential: credential === 'none' ? undefined : credential,
    isRefused: isRefusedEarly,
    isOfSecondary,
  };
  const [first] = members;
  return {
    ...shared,
    operation,
    table: record.table ?? first?.table,
    partitionKey: record.partitionKey ?? first?.partitionKey,
    rowKey: record.rowKey,
    followsContinuation,
    members: members.map((member) => ({
      ...shared,
      operation: member.operation,
      table: member.table,
      partitionKey: member.partitionKey,
      rowKey: member.rowKey,
      followsContinuation: member.followsContinuation === true,
      members: [],
    })),
  };
}

/** Codes that the service returns before it reads a request. */
const frontEndCodes = new Set<ErrorCode>([
  'AuthenticationFailed',
  'AuthorizationProtocolMismatch',
  'AuthorizationServiceMismatch',
  'AuthorizationSourceIPMismatch',
  'CorsPreflightFailure',
  'HostInformationNotPresent',
  'InvalidAuthenticationInfo',
  'InvalidUri',
  'NoAuthenticationInformation',
  'RequestBodyTooLarge',
]);

function stageOf(code: ErrorCode): RefusalStage {
  if (frontEndCodes.has(code)) return 'frontEnd';
  return code === 'TableNotFound' ? 'parse' : 'execute';
}

const staged = (code: ErrorCode, label: string, ...more: readonly string[]): ServiceError =>
  new ServiceError(code, { stage: stageOf(code), why: [`Staged by the fault rule ${quote(label)}.`, ...more] });

function named(response: HttpResponse, label: string, fault: Fault): HttpResponse {
  const added: HttpHeader[] = [[faultHeader, encodeURIComponent(label)]];
  let { headers } = response;
  if (fault.kind === 'error' && fault.retryAfterSeconds !== undefined) {
    headers = headers.filter(([name]) => name !== 'Retry-After');
    added.push(['Retry-After', String(fault.retryAfterSeconds)]);
  }
  return { ...response, headers: [...headers, ...added] };
}

/** Adds the length of the complete body, so that a client notices that it receives less. */
function withLength(response: HttpResponse): HttpResponse {
  const length: HttpHeader = ['Content-Length', String(response.body?.length ?? 0)];
  const others = response.headers.filter(([name]) => name !== 'Transfer-Encoding' && name !== 'Content-Length');
  return { ...response, headers: [length, ...others] };
}
