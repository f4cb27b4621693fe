import type { RequestRecord } from '../model/request-record.ts';

/** Reads the record of a request once its response is handed to the socket. */
export type RequestLog = (record: RequestRecord) => void;

/** The part of a logger that the request log uses. */
export interface LogSink {
  info(fields: object, message: string): void;
}

/** Writes one line for each request. */
export function createRequestLog(sink: LogSink): RequestLog {
  return (record) => {
    const { operation, status, refusal, requestId, clientRequestId, durationMs, account, plan } = record;
    const why = refusal?.why ?? [];
    const fields = {
      operation,
      status,
      ...(refusal === undefined ? {} : { code: refusal.code }),
      ...(why.length === 0 ? {} : { why }),
      requestId,
      ...(clientRequestId === undefined ? {} : { clientRequestId }),
      durationMs: Math.round(durationMs * 1000) / 1000,
      account,
      ...(plan === undefined ? {} : queryFieldsOf(record, plan.kind)),
    };
    sink.info(fields, `${record.method} ${withoutSignature(record.url)} ${status}`);
  };
}

function queryFieldsOf({ visited, returned, pageEnd }: RequestRecord, plan: string): object {
  return { plan, visited, returned, pageEnd };
}

/** A shared access signature is a key: it is never written down, however its name is spelt. */
function withoutSignature(url: string): string {
  return url.replace(/([?&](?:s|%73|%53)(?:i|%69|%49)(?:g|%67|%47)=)[^&]*/gi, '$1REDACTED');
}
