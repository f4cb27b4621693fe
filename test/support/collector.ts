// A collector of traces. It records what it receives over OTLP/HTTP, and sends the answers that a test sets.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly OtlpAttribute[] }[];
  readonly status?: { readonly code: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span with its attributes by name. Whole numbers are converted to numbers. */
export interface SeenSpan extends Omit<OtlpSpan, 'attributes' | 'events'> {
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly events: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
}

export interface SeenExport {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly resource: Readonly<Record<string, string | number>>;
  readonly spans: readonly SeenSpan[];
}

type Answer = (response: ServerResponse, at: number) => void;

export interface TestCollector {
  readonly url: string;
  readonly exports: SeenExport[];
  readonly spans: () => SeenSpan[];
  /** Sets the answers to the next exports. `at` counts them from 0. By default, each is 200 with `{}`. */
  answerWith(answer: Answer): void;
  /** Resolves when this many exports have arrived. */
  arrived(exports: number): Promise<void>;
  close(): Promise<void>;
}

const takes: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

export async function startCollector(port = 0): Promise<TestCollector> {
  const exports: SeenExport[] = [];
  let answer = takes;
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    exports.push(readExport(request, Buffer.concat(chunks).toString('utf8')));
    answer(response, exports.length - 1);
    for (const { resolve } of waiting.filter(({ count }) => count <= exports.length)) resolve();
    waiting = waiting.filter(({ count }) => count > exports.length);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    spans: () => exports.flatMap(({ spans }) => spans),
    answerWith(next) {
      answer = next;
    },
    arrived: (count) =>
      exports.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readExport({ url = '', headers }: IncomingMessage, text: string): SeenExport {
  const { resourceSpans } = JSON.parse(text) as OtlpBody;
  const [first] = resourceSpans;
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return {
    path: url,
    headers,
    text,
    resource: valuesOf(first?.resource.attributes ?? []),
    spans: spans.map((span) => ({
      ...span,
      attributes: valuesOf(span.attributes),
      events: Object.fromEntries(span.events.map(({ name, attributes }) => [name, valuesOf(attributes)])),
    })),
  };
}

const valuesOf = (attributes: readonly OtlpAttribute[]): Record<string, string | number> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.intValue === undefined ? (value.stringValue ?? '') : Number(value.intValue),
    ]),
  );
