import type { EntityRecord } from '../model/entity.ts';
import type { ServiceError } from '../model/service-error.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import { type EntityWrite, writeEntity } from '../operations/write-entity.ts';
import type { QueryReport } from '../query/report.ts';
import type { TableRequest } from './negotiated-headers.ts';

/** An answer before the headers that all answers share. */
export interface OperationResult {
  readonly status: number;
  /** Names and values in turn, beyond the shared ones. */
  readonly headers?: readonly string[];
  readonly contentType?: string;
  /** Text must be ASCII. */
  readonly body?: string | Buffer;
  /** How a query was carried out; for the log, and for who asks. */
  readonly report?: QueryReport;
}

/**
 * One operation of the service: how its request is read, what runs, how its result is written. Its name is the same in
 * src/operations, test/conformance, openapi and the log.
 */
export interface Operation<Input = unknown, Result = unknown> {
  readonly name: string;
  readonly takesBody: boolean;
  /** Its answer echoes no Prefer. */
  readonly ignoresPreference?: boolean;
  /** Speaks XML of its own, with headers of its own: what is about the service, not about its data. */
  readonly isServiceLevel?: boolean;
  decode(request: TableRequest): Input;
  /** What it writes, for operations that may stand in an entity group transaction. */
  write?(input: Input): EntityWrite;
  run(context: OperationContext, input: Input): Promise<Result>;
  encode(result: Result, request: TableRequest, input: Input): OperationResult;
}

/** Lets an operation's own types be checked where it is defined and forgotten where it is called. */
export function operation<Input, Result>(definition: Operation<Input, Result>): Operation {
  return definition;
}

/** An operation that writes one entity. */
export function writeOperation<Input>(
  definition: Omit<Operation<Input, EntityRecord>, 'takesBody' | 'write' | 'run'> & {
    readonly takesBody?: boolean;
    readonly write: (input: Input) => EntityWrite;
  },
): Operation {
  const { write } = definition;
  return operation<Input, EntityRecord>({
    takesBody: true,
    ...definition,
    run: (context, input) => writeEntity(context, write(input)),
  });
}

/** Stands in for the operation of a request that asks for none: it refuses the request once the caller is known. */
export function refusing(error: ServiceError): Operation {
  const refuse = (): never => {
    throw error;
  };
  return { name: 'Unknown', takesBody: false, decode: refuse, run: refuse, encode: refuse };
}
