export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

export interface ReportFlags {
  readonly requests?: readonly NumberRange[];
  readonly out?: string;
  readonly yes?: true;
}
