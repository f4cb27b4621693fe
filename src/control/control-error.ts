/** Every error the control plane answers, with its status. openapi/control-plane.yaml names them as well. */
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
  NotFound: 404,
  AccountNotFound: 404,
  TableNotFound: 404,
  TableBeingDeleted: 404,
  MethodNotAllowed: 405,
  RequestBodyTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
} as const satisfies Record<string, number>;

export type ControlErrorCode = keyof typeof controlErrors;

/** A refusal of the control plane. The message says in one line what to do about it. */
export class ControlError extends Error {
  readonly code: ControlErrorCode;
  readonly status: number;
  /** What the table service would answer, where it is the one that refuses. */
  readonly serviceStatus: number | undefined;

  constructor(code: ControlErrorCode, message: string, serviceStatus?: number) {
    super(message);
    this.name = 'ControlError';
    this.code = code;
    this.status = controlErrors[code];
    this.serviceStatus = serviceStatus;
  }
}
