import { quoteJson } from '../model/json-text.ts';
import { cutMiddle } from '../model/printable-text.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { isForwarded, isLoopbackAddress } from '../model/request-source.ts';
import type { ServiceError } from '../model/service-error.ts';
import type { HttpResponse } from './http-message.ts';

/** Maximum length of all sentences together. There must be room for the other headers. */
const charsMax = 4_096;
const sentenceCharsMax = 1_024;

/** Adds the reason for a refusal to its response. */
export function explainedResponse(
  { response, error }: { readonly response: HttpResponse; readonly error: ServiceError },
  record: RequestRecord,
): HttpResponse {
  return explained(response, record, error.why);
}

/**
 * Adds the reason for a refusal to the response to a batch. The status of this response is 202 even if an operation was
 * refused or the batch was malformed.
 */
export function explainedBatch(response: HttpResponse, record: RequestRecord): HttpResponse {
  const { members, batchWarning } = record;
  if (members.length === 0 && batchWarning === undefined) return response;
  const refusal = members.find((member) => member.refusal)?.refusal;
  return explained(response, record, [...(refusal?.why ?? []), ...(batchWarning ? [batchWarning.text] : [])]);
}

/**
 * Adds `sentences` (the reason for a refusal, or a warning) to the response, in a header of ASCII JSON. Adds them only
 * if the request comes directly from this machine and not through a proxy. The sender of such a request is probably the
 * developer's own program. The log contains the sentences for every caller.
 */
function explained(
  response: HttpResponse,
  { remoteAddress, headers }: RequestRecord,
  sentences: readonly string[],
): HttpResponse {
  if (sentences.length === 0 || !isLoopbackAddress(remoteAddress) || isForwarded(headers)) return response;
  return { ...response, headers: [...response.headers, ['x-emulator-why', headerText(sentences)]] };
}

function headerText(sentences: readonly string[]): string {
  const items: string[] = [];
  let chars = 0;
  for (const sentence of sentences) {
    // quoteJson leaves one character unescaped that a header must not contain.
    const item = quoteJson(cutMiddle(sentence, sentenceCharsMax)).replaceAll('\u007f', '\\u007f');
    chars += item.length + 1;
    if (chars > charsMax && items.length > 0) break;
    items.push(item);
  }
  return `[${items.join(',')}]`;
}
