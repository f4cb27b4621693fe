import type { Access } from '../auth/access.ts';
import type { EntityRecord } from '../model/entity.ts';
import type { ServiceError } from '../model/service-error.ts';
import type { EntityWrite } from '../operations/entity-writes.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import { writeEntity } from '../operations/write-entity.ts';
import type { HttpHeaders } from '../protocol/http-headers.ts';
import type { QueryReport } from '../query/report.ts';
import type { ResourceKind, ResourceOf, TableRequest } from './negotiated-headers.ts';

/** A response without the headers that all responses share. */
export interface OperationResult {
  readonly status: number;
  /** Headers in addition to the shared ones. */
  readonly headers?: HttpHeaders;
  readonly contentType?: string;
  /** Text must be ASCII. */
  readonly body?: string | Buffer;
  /** How a query was carried out. */
  readonly report?: QueryReport;
  /** Whether a page follows: the headers carry a continuation. */
  readonly hasNext?: boolean;
}

/**
 * One operation of the service: how its request is read, what runs, and how its result is written. Its name is the same in
 * src/operations, test/conformance, openapi and the log.
 */
export interface Operation<Kind extends ResourceKind = ResourceKind, Input = unknown, Result = unknown> {
  readonly name: string;
  /** The kind of resource in its address. */
  readonly resource: Kind;
  /**
   * What the operation requires of a caller without an account key. `refuses`: the operation itself refuses every
   * caller.
   */
  readonly access: Access | 'refuses';
  readonly takesBody: boolean;
  /** Whether its response ignores the header Prefer. */
  readonly ignoresPreference?: boolean;
  /**
   * Whether the operation is about the service itself, not its data. The headers of its responses differ from those of
   * other operations, and the bodies are XML.
   */
  readonly isServiceLevel?: boolean;
  decode(request: TableRequest<ResourceOf<Kind>>): Input;
  /** The write of an operation that is allowed in an entity group transaction. */
  write?(input: Input): EntityWrite;
  run(context: OperationContext, input: Input): Promise<Result>;
  encode(result: Result, request: TableRequest<ResourceOf<Kind>>, input: Input): OperationResult;
}

/**
 * Lets the compiler check the types in the definition of an operation, and then erases these types. The code that calls
 * the operation passes the input and the result on without reading them.
 */
export function operation<Kind extends ResourceKind, Input, Result>(
  definition: Operation<Kind, Input, Result>,
): Operation {
  return definition as unknown as Operation;
}

/** An operation that writes one entity. */
export function writeOperation<Kind extends ResourceKind, Input>(
  definition: Omit<Operation<Kind, Input, EntityRecord>, 'takesBody' | 'write' | 'run'> & {
    readonly takesBody?: boolean;
    readonly write: (input: Input) => EntityWrite;
  },
): Operation {
  const { write } = definition;
  return operation<Kind, Input, EntityRecord>({
    takesBody: true,
    ...definition,
    run: (context, input) => writeEntity(context, write(input)),
  });
}

/** The operation of a request that does not name one. It refuses the request after authentication. */
export function refusing(error: ServiceError): Operation {
  const refuse = (): never => {
    throw error;
  };
  return {
    name: 'Unknown',
    resource: 'unroutable',
    access: 'refuses',
    takesBody: false,
    decode: refuse,
    run: refuse,
    encode: refuse,
  };
}
