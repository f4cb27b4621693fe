// The live stream of the emulator (GET /_emulator/events). The console reads it with fetch, because EventSource cannot
// send a token.

import type { Topic } from '../../control/observe/event-stream.ts';
import { ApiError, apiResponse } from './api.ts';

export type StreamState = 'connecting' | 'live' | 'lost';

export interface StreamOptions {
  readonly topics: readonly Topic[];
  /** Gets the name and the parsed data of each event. */
  readonly onEvent: (name: string, data: unknown) => void;
  readonly onState?: (state: StreamState) => void;
}

const retryMs = 2_000;

/** Listens to the stream, and connects again when it ends, until the returned function is called. */
export function listen({ topics, onEvent, onState }: StreamOptions): () => void {
  const abort = new AbortController();
  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      onState?.('connecting');
      try {
        const response = await apiResponse('events', { query: { topics: topics.join(',') }, signal: abort.signal });
        onState?.('live');
        for await (const { name, data } of eventsOf(response)) onEvent(name, JSON.parse(data));
      } catch (error) {
        if (abort.signal.aborted || (error instanceof ApiError && error.status === 401)) return;
      }
      onState?.('lost');
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  };
  void run();
  return () => abort.abort();
}

interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
}

/** The emulator sends each event with one line of data; a line with a colon in front is a heartbeat. */
export function parseEvent(block: string): StreamEvent | undefined {
  const lines = block.split('\n');
  const fieldOf = (field: string): string | undefined =>
    lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
  const data = fieldOf('data');
  return data === undefined ? undefined : { name: fieldOf('event') ?? 'message', data };
}
