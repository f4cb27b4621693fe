export type StoreUnavailableReason = 'unwritable' | 'locked' | 'newer' | 'damaged' | 'foreign' | 'driverMissing';

/** The data of a location, or SQLite itself, cannot be used as it is; nothing was changed. The message is for a person. */
export class StoreUnavailable extends Error {
  readonly reason: StoreUnavailableReason;

  constructor(reason: StoreUnavailableReason, message: string) {
    super(message);
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}
