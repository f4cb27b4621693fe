import { randomUUID } from 'node:crypto';
import { clientRequestIdCharsMax } from '../model/limits.ts';
import { versionGates } from '../protocol/service-version.ts';
import { type HttpRequest, headerOf } from './http-message.ts';

/** What every answer to a request carries, whatever becomes of it. */
export interface RequestIds {
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
}

export function readRequestIds({ headers }: HttpRequest): RequestIds {
  const clientRequestId = headerOf(headers, 'x-ms-client-request-id');
  const version = headerOf(headers, 'x-ms-version') ?? versionGates.clientRequestIdEcho;
  const isEchoed =
    clientRequestId !== undefined &&
    clientRequestId.length <= clientRequestIdCharsMax &&
    version >= versionGates.clientRequestIdEcho;
  return { requestId: randomUUID(), clientRequestId: isEchoed ? clientRequestId : undefined };
}
