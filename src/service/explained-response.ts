import { AuthenticationRefused } from '../auth/authentication-refused.ts';
import { quoteJson } from '../model/json-text.ts';
import type { ServiceError } from '../model/service-error.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';

/** Why a caller was refused; only for one on this machine, who is most likely the developer. */
export function explanationOf(
  error: ServiceError | undefined,
  { remoteAddress }: HttpRequest,
): readonly string[] | undefined {
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(remoteAddress);
  return isLocal && error instanceof AuthenticationRefused ? error.explanation : undefined;
}

/** Adds the reason as JSON in ASCII: an array of sentences and texts. */
export function explainedResponse(
  { answer, error }: { answer: HttpResponse; error: ServiceError },
  call: HttpRequest,
): HttpResponse {
  const explanation = explanationOf(error, call);
  if (!explanation) return answer;
  // What quoteJson leaves of what no header may hold.
  const text = `[${explanation.map(quoteJson).join(',')}]`.replaceAll('\u007f', '\\u007f');
  return { ...answer, headers: [...answer.headers, 'x-emulator-explain-auth', text] };
}
