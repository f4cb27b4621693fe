export interface ParityFlags {
  readonly against: string;
  readonly tablesPrefix?: string;
  readonly yes?: true;
  readonly json?: true;
  readonly insecure?: true;
}
