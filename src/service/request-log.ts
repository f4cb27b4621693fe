import type { QueryReport } from '../query/report.ts';
import { explanationOf } from './explained-response.ts';
import type { HttpRequest } from './http-message.ts';
import type { Exchange } from './serve-request.ts';

export interface RequestRecord {
  readonly call: HttpRequest;
  readonly served: Exchange;
  readonly durationMs: number;
}

/** One line per request, written once it is answered. */
export type RequestLog = (record: RequestRecord) => void;

/** The part of a logger this takes. */
export interface LogSink {
  info(fields: object, message: string): void;
}

export function createRequestLog(sink: LogSink): RequestLog {
  return ({ call, served, durationMs }) => {
    const { answer, ids, operation, account, refusal, report } = served;
    const why = explanationOf(refusal, call);
    const fields = {
      operation,
      status: answer.status,
      ...(refusal === undefined ? {} : { code: refusal.code }),
      ...(why === undefined ? {} : { why }),
      requestId: ids.requestId,
      ...(ids.clientRequestId === undefined ? {} : { clientRequestId: ids.clientRequestId }),
      durationMs: Math.round(durationMs * 1000) / 1000,
      account,
      ...(report === undefined ? {} : fieldsOf(report)),
    };
    sink.info(fields, `${call.method} ${withoutSignature(call.url)} ${answer.status}`);
  };
}

function fieldsOf({ plan, visited, returned, end }: QueryReport): object {
  return { plan: plan.kind, visited, returned, pageEnd: end };
}

/** A shared access signature is a key: it is never written down, however its name is spelt. */
function withoutSignature(url: string): string {
  return url.replace(/([?&](?:s|%73|%53)(?:i|%69|%49)(?:g|%67|%47)=)[^&]*/gi, '$1REDACTED');
}
