import type { TextPlace } from '../model/service-error.ts';
import type { StoreUnavailable } from '../storage/store-unavailable.ts';

/** The status of every error of the control plane. openapi/control-plane.yaml lists them as well. */
export const controlErrors = {
  InvalidRequest: 400,
  InvalidInput: 400,
  NotImplemented: 400,
  TokenMissing: 401,
  TokenWrong: 401,
  TokenNotConfigured: 403,
  ForeignPeer: 403,
  ForeignHost: 403,
  ForeignOrigin: 403,
  ForeignPage: 403,
  ForwardedRequest: 403,
  NotFound: 404,
  AccountNotFound: 404,
  AdvisorOff: 404,
  HttpsOff: 404,
  IdentityOff: 404,
  PrincipalNotFound: 404,
  SnapshotNotFound: 404,
  TableNotFound: 404,
  LoadNotFound: 404,
  ExportNotFound: 404,
  FaultNotFound: 404,
  TableBeingDeleted: 404,
  MethodNotAllowed: 405,
  DuplicateEntity: 409,
  DuplicateTable: 409,
  TooManySnapshots: 409,
  TooManyKeys: 409,
  TooManyPrincipals: 409,
  RequestBodyTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyLoads: 429,
  TooManyExports: 429,
  TooManyStreams: 429,
  InternalError: 500,
  StoreFailed: 503,
  Closing: 503,
} as const satisfies Record<string, number>;

export type ControlErrorCode = keyof typeof controlErrors;

export interface ControlErrorDetails {
  /** The status with which the table service would refuse the same input, if it would. */
  readonly serviceStatus?: number;
  /** The wrong line of a body of several lines, 1-based. */
  readonly line?: number;
  /** The place of the fault in a filter. */
  readonly place?: TextPlace;
  /** Sentences about the probable mistake in the filter. */
  readonly hints?: readonly string[];
  /** A failure not caused by a client; it goes to the log. */
  readonly cause?: unknown;
}

/** The message while the disk that holds the data is full, or a quota is used up. */
export const fullDisk =
  'Writes fail: the disk is full. Delete tables, snapshots or other files; writes succeed again as soon as there is space.';

/** A refusal by the control plane. The message names the remedy in one line. */
export class ControlError extends Error {
  readonly code: ControlErrorCode;
  readonly status: number;
  readonly serviceStatus: number | undefined;
  readonly line: number | undefined;
  readonly place: TextPlace | undefined;
  readonly hints: readonly string[] | undefined;

  constructor(
    code: ControlErrorCode,
    message: string,
    { serviceStatus, line, place, hints, ...cause }: ControlErrorDetails = {},
  ) {
    super(message, cause);
    this.name = 'ControlError';
    this.code = code;
    this.status = controlErrors[code];
    this.serviceStatus = serviceStatus;
    this.line = line;
    this.place = place;
    this.hints = hints;
  }
}

/** The refusal while the data cannot be used. */
export function storeRefusal({ reason }: StoreUnavailable): ControlError {
  const message = reason === 'full' ? fullDisk : 'The data cannot be used; the log of the emulator says why.';
  return new ControlError('StoreFailed', message);
}
