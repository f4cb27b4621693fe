// A request to the control plane of a running emulator.

import type { IncomingMessage } from 'node:http';
import { networkReason, openExchange, readText } from '../data/http-exchange.ts';
import { ControlRefusal, NoAnswer } from './exit-codes.ts';
import { describeNoAnswer } from './no-answer.ts';

/** Where an emulator runs, and the token of its control plane. */
export interface ControlAddress {
  /** `http://127.0.0.1:10002` */
  readonly url: string;
  readonly token?: string;
  /** Whether any certificate is accepted. */
  readonly isInsecure?: boolean;
}

export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/_emulator/`. */
  readonly path: string;
  /** A Buffer holds entities, one per line, and is sent as it is. An object is sent as JSON. */
  readonly body?: object | Buffer;
  /** A member that an emulator's response always has. A response without this member comes from another server. */
  readonly expects: string;
  readonly timeoutMs?: number;
  /** Media types of the response. */
  readonly accept?: string;
  /** Aborts when the response is no longer needed. */
  readonly signal?: AbortSignal;
  /** A longer response is refused, because the server at the address may not be an emulator. */
  readonly answerBytesMax?: number;
}

type Members = Readonly<Record<string, unknown>>;

const responseTimeoutMs = 30_000;
const defaultBytesMax = 1_048_576;

/** Returns the body of the emulator's response. Throws NoAnswer for every status but 200 and 201. */
export async function askEmulator(question: Question, address: ControlAddress): Promise<Members> {
  const { url } = address;
  const { status, text } = await exchange(question, address);
  const body = readObject(text);
  if ((status === 200 || status === 201) && question.expects in body) return body;
  throw (
    readRefusal(body, status, url) ??
    new NoAnswer(`the server at ${url} is not an emulator of this version (status ${status}).`)
  );
}

/** The refusal in a body; undefined if the body holds something else. */
function readRefusal(body: Members, status: number, url: string): ControlRefusal | undefined {
  const { code, message, line } = (body['error'] ?? {}) as Members;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  // The message begins with the name of a JSON member. The user gave a flag, which has another name.
  const reason = message.replace(/^"\w+": /, '');
  const whole = `the emulator at ${url} answers ${status} ${code}: ${reason}`;
  return new ControlRefusal(whole, { code, line: typeof line === 'number' ? line : undefined, reason });
}

/** Yields the body of the emulator's response piece by piece. Throws NoAnswer, also if the response breaks off. */
export async function* streamFromEmulator(
  question: Omit<Question, 'expects' | 'answerBytesMax'>,
  address: ControlAddress,
): AsyncGenerator<Buffer> {
  const response = await send(question, address);
  try {
    if (response.statusCode === 200) yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    throw new NoAnswer(`the emulator at ${address.url} did not finish its response: ${networkReason(error)}.`);
  }
  if (response.statusCode === 200 || response.statusCode === 204) return;
  throw new NoAnswer(`the emulator at ${address.url} answers ${response.statusCode} to ${question.path}.`);
}

/** Returns the text of a response that is not JSON. Throws NoAnswer for every status but 200. */
export async function askText(question: Omit<Question, 'expects'>, address: ControlAddress): Promise<string> {
  const { status, text } = await exchange(question, address);
  if (status === 200) return text;
  throw (
    readRefusal(readObject(text), status, address.url) ??
    new NoAnswer(`the emulator at ${address.url} answers ${status} to ${question.path}.`)
  );
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function exchange(question: Omit<Question, 'expects'>, address: ControlAddress): Promise<Reply> {
  const response = await send(question, address);
  const text = await readText(response, question.answerBytesMax ?? defaultBytesMax).catch((error: unknown) => {
    throw new NoAnswer(`the emulator at ${address.url} did not finish its response: ${networkReason(error)}.`);
  });
  return { status: response.statusCode ?? 0, text };
}

type Request = Pick<Question, 'method' | 'path' | 'body' | 'timeoutMs' | 'accept' | 'signal'>;

async function send(request: Request, address: ControlAddress): Promise<IncomingMessage> {
  const { method, path, body, timeoutMs, accept, signal } = request;
  const { url, token, isInsecure = false } = address;
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const options = {
    method,
    headers: {
      ...(bytes === undefined
        ? {}
        : {
            'Content-Type': Buffer.isBuffer(body) ? 'application/x-ndjson' : 'application/json',
            'Content-Length': bytes.length,
          }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(accept === undefined ? {} : { Accept: accept }),
    },
    agent: false,
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs ?? responseTimeoutMs), ...(signal ? [signal] : [])]),
    rejectUnauthorized: !isInsecure,
    body: bytes,
  };
  return openExchange(new URL(`${url}/_emulator/${path}`), options).catch((error: Error) => {
    const hint = 'Start one, or give its address with --url.';
    throw new NoAnswer(describeNoAnswer(error, { url, absent: 'no emulator', flag: '--url ', hint }));
  });
}

function readObject(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}
