// Tries a key design for the command line and the control plane, which give the design and the queries as texts. A
// KeyRefusal names the faulty part of the request.

import { quote } from '../../model/printable-text.ts';
import { ServiceError } from '../../model/service-error.ts';
import type { AdvisorRules } from '../advisor-rules.ts';
import type { RateTargets } from '../window.ts';
import { KeyExpressionFault, parseKeyExpression } from './key-expression.ts';
import { pauseEvery } from './pause.ts';
import { type AskedQuery, createQueryReader, type GivenQuery } from './query-groups.ts';
import { type SampleEntity, SimulationFault } from './sample.ts';
import { type KeySimulation, type KeyTexts, simulateKeys } from './simulate-keys.ts';

export interface TextRequest extends KeyTexts {
  readonly index?: (KeyTexts & { readonly isInSameTable: boolean }) | undefined;
  readonly entities: readonly SampleEntity[];
  readonly total?: number | undefined;
  readonly queries: readonly GivenQuery[];
  readonly orderBy?: string | undefined;
  readonly givenOrder?: string | undefined;
  readonly settings?: AdvisorRules | undefined;
  /** Default: the targets of the service. */
  readonly targets?: RateTargets | undefined;
  /** Resolves in a later turn of the event loop. */
  readonly nextTurn: () => Promise<void>;
}

/** Thrown if a part of the request cannot be used. `message` says why, without a full stop. */
export class KeyRefusal extends Error {
  readonly subject: Subject;

  constructor(subject: Subject, message: string) {
    super(message);
    this.subject = subject;
  }
}

type Subject = 'partitionKey' | 'rowKey' | 'indexPartitionKey' | 'indexRowKey' | 'queries' | 'entities';

/** Evidence: documented (Scalability and performance targets for Table storage). */
const serviceTargets: RateTargets = { account: 20_000, partition: 2_000 };

/** Throws KeyRefusal. */
export async function simulateTexts(request: TextRequest): Promise<KeySimulation> {
  const { partitionKey, rowKey, index, queries: texts, settings = {}, targets = serviceTargets, nextTurn } = request;
  check('partitionKey', partitionKey);
  check('rowKey', rowKey);
  if (index) {
    check('indexPartitionKey', index.partitionKey);
    check('indexRowKey', index.rowKey);
  }
  const queries = readAll(texts);
  try {
    return await simulateKeys({ ...request, queries, settings, targets, pause: pauseEvery(nextTurn) });
  } catch (error) {
    throw error instanceof SimulationFault ? new KeyRefusal('entities', error.message) : error;
  }
}

function check(subject: Subject, text: string): void {
  try {
    parseKeyExpression(text);
  } catch (error) {
    throw error instanceof KeyExpressionFault ? new KeyRefusal(subject, error.message) : error;
  }
}

function readAll(texts: readonly GivenQuery[]): readonly AskedQuery[] {
  const read = createQueryReader();
  return texts.map((query) => {
    try {
      return read(query);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { status, code, message } = error;
      const reason = `${status} ${code}: ${message.replace(/\.$/, '')}`;
      throw new KeyRefusal('queries', `the service refuses ${quote(query.filter)}: ${reason}`);
    }
  });
}
