// The client of the control plane, below `/_emulator/`.

import { signal } from '@preact/signals';

const storageName = 'tanzanite.token';

/** The control token, if the emulator asked for one. It is kept for this tab only, and never in an address. */
const token = signal(window.sessionStorage.getItem(storageName) ?? undefined);

/** Why the token page is shown. Undefined while the emulator accepts the requests. */
export const tokenFault = signal<'missing' | 'wrong' | undefined>(undefined);

interface ErrorDetails {
  readonly place?: { readonly start: number; readonly end: number };
  readonly hints?: readonly string[];
}

/** The control plane refused a request, or nothing answered (`code` is `Unreachable`). */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** If a filter was refused: the wrong part of it, in UTF-16 code units. */
  readonly place: { readonly start: number; readonly end: number } | undefined;
  /** What is probably wrong with the filter. */
  readonly hints: readonly string[];

  constructor(code: string, status: number, message: string, { place, hints = [] }: ErrorDetails = {}) {
    super(message);
    this.place = place;
    this.hints = hints;
    this.code = code;
    this.status = status;
  }
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request and returns the parsed body of the response. `path` is below `/_emulator/`. Throws ApiError. */
export async function api<Result = unknown>(path: string, request?: ApiRequest): Promise<Result> {
  const response = await apiResponse(path, request);
  return (response.status === 204 ? undefined : await response.json()) as Result;
}

/** Like `api`, but returns the response itself: for bodies that are not JSON, and for streams. */
export async function apiResponse(path: string, request: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', query = {}, body, headers = {}, signal: abort } = request;
  const url = new URL(`/_emulator/${path}`, window.location.origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const response = await fetch(url, {
    method,
    headers: {
      ...(token.peek() === undefined ? {} : { Authorization: `Bearer ${token.peek()}` }),
      ...(typeof body === 'object' ? { 'Content-Type': 'application/json' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(abort ? { signal: abort } : {}),
  }).catch((error: unknown) => {
    if (abort?.aborted) throw error;
    throw new ApiError('Unreachable', 0, 'The emulator does not answer. Is it still running?');
  });
  if (response.ok) return response;
  throw await refusalOf(response);
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as
    | { readonly error?: ErrorDetails & { readonly code?: string; readonly message?: string } }
    | undefined;
  const { code = 'Unknown', message = `The emulator answered ${response.status}.`, ...details } = body?.error ?? {};
  if (code === 'TokenMissing') tokenFault.value = 'missing';
  if (code === 'TokenWrong') tokenFault.value = 'wrong';
  return new ApiError(code, response.status, message, details);
}

/**
 * Sends a request with the token. If the emulator accepts the token, keeps it and returns true. If the emulator refuses
 * the token, returns false. Throws ApiError for other failures.
 */
export async function tryToken(text: string): Promise<boolean> {
  const before = token.peek();
  token.value = text;
  try {
    await apiResponse('settings');
  } catch (error) {
    token.value = before;
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
  window.sessionStorage.setItem(storageName, text);
  tokenFault.value = undefined;
  return true;
}
