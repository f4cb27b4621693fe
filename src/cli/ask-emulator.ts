// How the commands ask an emulator that runs, without loading anything of one: a container runs `health` all the time.

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { NoAnswer } from './no-answer.ts';

/** An emulator that runs, and what opens its control plane. */
export interface ControlAddress {
  /** `http://127.0.0.1:10002` */
  readonly url: string;
  readonly token?: string;
  /** Whether any certificate will do. */
  readonly isInsecure?: boolean;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  /** Below `/_emulator/`. */
  readonly room: string;
  readonly body?: object;
  /** A member that every answer has; what lacks it is not an emulator's. */
  readonly expects: string;
  readonly timeoutMs?: number;
  /** More of an answer is not read: what answers may be anything. */
  readonly answerBytesMax?: number;
}

type Members = Readonly<Record<string, unknown>>;

const answerTimeoutMs = 30_000;
const usualBytesMax = 1_048_576;

/** The body of the emulator's answer. Throws NoAnswer for every other than 200. */
export async function askEmulator(question: Question, address: ControlAddress): Promise<Members> {
  const { url } = address;
  const answer = await send(question, address);
  const text = await readText(answer, question.answerBytesMax ?? usualBytesMax).catch((error: unknown) => {
    throw new NoAnswer(`the emulator at ${url} did not finish its answer: ${reasonOf(error)}.`);
  });
  const body = readObject(text);
  const status = answer.statusCode ?? 0;
  if (status === 200 && question.expects in body) return body;
  const { code, message } = (body['error'] ?? {}) as Members;
  if (typeof code !== 'string' || typeof message !== 'string') {
    throw new NoAnswer(`what answers at ${url} has no control plane of this version (status ${status}).`);
  }
  throw new NoAnswer(`the emulator at ${url} answers ${status} ${code}: ${message}`);
}

async function send({ method, room, body, timeoutMs }: Question, address: ControlAddress): Promise<IncomingMessage> {
  const { url, token, isInsecure = false } = address;
  const bytes = body === undefined ? undefined : JSON.stringify(body);
  const options = {
    method,
    headers: {
      ...(bytes === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(bytes) }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    agent: false,
    signal: AbortSignal.timeout(timeoutMs ?? answerTimeoutMs),
    rejectUnauthorized: !isInsecure,
  };
  const request = await openerOf(url);
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      reject(new NoAnswer(`no emulator answers at ${url}: ${reasonOf(error)}. Start one, or name another with --url.`));
    };
    request(`${url}/_emulator/${room}`, options).on('response', resolve).on('error', onError).end(bytes);
  });
}

type Opener = (url: string, options: RequestOptions & { readonly rejectUnauthorized: boolean }) => ClientRequest;

/** Only the protocol that is spoken is loaded; neither follows a redirection, so the token goes nowhere else. */
async function openerOf(url: string): Promise<Opener> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return request;
}

async function readText(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The reason below those that say only that there is one. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

function readObject(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}
