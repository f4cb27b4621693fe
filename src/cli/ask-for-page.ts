import type { QueryReport } from '../query/report.ts';
import { NoAnswer } from './no-answer.ts';

/** An emulator that runs, and what opens its control plane. */
export interface ControlAddress {
  /** `http://127.0.0.1:10002` */
  readonly url: string;
  readonly token?: string;
}

export interface PageWish {
  readonly table: string;
  readonly account?: string;
}

/** What reading one page came to. */
export interface PageFigures extends Pick<QueryReport, 'visited' | 'returned' | 'end'> {
  readonly sentence: string;
}

const answerTimeoutMs = 30_000;

/** Asks an emulator to read one page. Throws NoAnswer. */
export async function askForPage(
  wish: PageWish & { readonly filter: string },
  { url, token }: ControlAddress,
): Promise<PageFigures> {
  const answer = await send(wish, { url, ...(token === undefined ? {} : { token }) });
  const text = await answer.text().catch((error: unknown) => {
    throw new NoAnswer(`the emulator at ${url} did not finish its answer: ${reasonOf(error)}.`);
  });
  const body = readObject(text);
  if (answer.ok && typeof body['visited'] === 'number') {
    const { visited, returned, end, sentence } = body as unknown as PageFigures;
    return { visited, returned, end, sentence };
  }
  const { code, message } = (body['error'] ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || typeof message !== 'string') {
    throw new NoAnswer(`what answers at ${url} has no control plane of this version (status ${answer.status}).`);
  }
  throw new NoAnswer(`the emulator at ${url} answers ${answer.status} ${code}: ${message}`);
}

async function send(body: object, { url, token }: ControlAddress): Promise<Response> {
  try {
    return await fetch(`${url}/_emulator/explain`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      // The token is for the emulator that was named, and for no other.
      redirect: 'error',
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
  } catch (error) {
    throw new NoAnswer(`no emulator answers at ${url}: ${reasonOf(error)}. Start one, or name another with --url.`);
  }
}

/** The reason below fetch's own "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
