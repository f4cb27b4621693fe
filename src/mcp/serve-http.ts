import { type CallToolResult, createMcpHandler } from '@modelcontextprotocol/server';
import { createTableServer, type ToolCall } from './create-server.ts';

export interface HttpMessage {
  readonly url: string;
  readonly headers: Headers;
  /** The message, parsed. */
  readonly body: unknown;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly allowsWrites: boolean;
  readonly callTool: (call: ToolCall) => Promise<CallToolResult>;
}

export interface HttpServing {
  answer(message: HttpMessage): Promise<Response>;
  /** Ends the streams of clients that listen for changes. */
  close(): Promise<void>;
}

/**
 * Maximum number of streams on which clients listen for changes. Nothing ever changes, but a client may nevertheless
 * keep such a stream open.
 */
const subscriptionsMax = 12;

/**
 * Serves messages over the streamable HTTP transport. No state is kept between two messages, so a client can continue
 * after a restart of the emulator. This function trusts every client.
 */
export function serveHttp(): HttpServing {
  const messages = new WeakMap<Request, HttpMessage>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const message = requestInfo && messages.get(requestInfo);
      if (!message) throw new Error('a message without its request');
      return createTableServer(message);
    },
    { maxSubscriptions: subscriptionsMax },
  );
  return {
    answer(message) {
      const { url, headers, signal, body: parsedBody } = message;
      const request = new Request(url, { method: 'POST', headers, signal });
      messages.set(request, message);
      return handler.fetch(request, { parsedBody });
    },
    close: () => handler.close(),
  };
}
