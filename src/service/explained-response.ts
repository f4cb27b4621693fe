import { AuthenticationRefused } from '../auth/authentication-refused.ts';
import { quoteJson } from '../model/json-text.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { ServiceError } from '../model/service-error.ts';
import type { HttpResponse } from './http-message.ts';

/** Why a caller was refused; only for a caller on this machine, which is probably the developer's. */
export function explanationOf(
  error: ServiceError | undefined,
  { remoteAddress }: Pick<RequestRecord, 'remoteAddress'>,
): readonly string[] | undefined {
  if (!(error instanceof AuthenticationRefused)) return undefined;
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(remoteAddress);
  return isLocal ? error.explanation : undefined;
}

/** Adds the reason as JSON in ASCII: an array of sentences and texts. */
export function explainedResponse(
  { response, error }: { readonly response: HttpResponse; readonly error: ServiceError },
  record: RequestRecord,
): HttpResponse {
  const explanation = explanationOf(error, record);
  if (!explanation) return response;
  // quoteJson leaves one character that no header may hold.
  const text = `[${explanation.map(quoteJson).join(',')}]`.replaceAll('\u007f', '\\u007f');
  return { ...response, headers: [...response.headers, ['x-emulator-explain-auth', text]] };
}
