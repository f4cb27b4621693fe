export type StoreUnavailableReason =
  | 'unwritable'
  /** The disk is full, or a quota is used up. */
  | 'full'
  | 'locked'
  | 'newer'
  | 'damaged'
  | 'foreign'
  | 'driverMissing'
  /** The database is unreachable or too busy: the same call may succeed later. */
  | 'unreachable'
  /** The database refuses the user or the password, or does not exist. */
  | 'refused'
  | 'badAddress';

/**
 * Thrown when SQLite cannot be used, or when the data of a location or of a database cannot be used. The failed call
 * has changed nothing. The message is meant for users.
 */
export class StoreUnavailable extends Error {
  readonly reason: StoreUnavailableReason;

  constructor(reason: StoreUnavailableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}
