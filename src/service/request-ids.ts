import { clientRequestIdCharsMax } from '../model/limits.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Schedule } from '../model/schedule.ts';
import { versionGates } from '../protocol/service-version.ts';
import { type HttpRequest, headerOf } from './http-message.ts';

/** The ids that every response carries. */
export type RequestIds = Pick<RequestRecord, 'requestId' | 'clientRequestId'>;

/** Creates the id of a request, and reads the client's own id if the response repeats it. */
export function readRequestIds(
  { headers }: Pick<HttpRequest, 'headers'>,
  { newId }: Pick<Schedule, 'newId'>,
): RequestIds {
  const clientRequestId = headerOf(headers, 'x-ms-client-request-id');
  const version = headerOf(headers, 'x-ms-version') ?? versionGates.clientRequestIdEcho;
  const isEchoed =
    clientRequestId !== undefined &&
    clientRequestId.length <= clientRequestIdCharsMax &&
    version >= versionGates.clientRequestIdEcho;
  return { requestId: newId(), clientRequestId: isEchoed ? clientRequestId : undefined };
}
