// The header by which a request says what caused it: W3C Trace Context, Level 1 and 2.

/** The span of the caller that sent a request. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the caller's span. */
  readonly parentId: string;
  /**
   * Whether the caller may have recorded the trace. If false, the caller asks others not to record the trace either.
   */
  readonly isSampled: boolean;
}

/** The four fields of version 00. A later version may add more, each after a hyphen. */
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zero = /^0+$/;

/** Undefined for a header that is absent, malformed or repeated: the specification says to ignore it. */
export function parseTraceparent(header: string | readonly string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', parentId = '', flags = '', rest] = form.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (zero.test(traceId) || zero.test(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
