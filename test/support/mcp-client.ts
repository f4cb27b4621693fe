// A client of the Model Context Protocol over HTTP. It acts like the client of an assistant.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { witnessAt } from './witness/witnesses.ts';

export interface McpClientOptions {
  readonly allowsWrites?: boolean;
  readonly token?: string;
  /** The version of the protocol: the one of 2026, or an older one that begins with `initialize`. */
  readonly era?: 'modern' | 'legacy';
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly found: Readonly<Record<string, unknown>>;
  /** The answer as it was sent. */
  readonly text: string;
}

/** A client that returns the answers of tools in a form that suits most tests. */
export class McpClient {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<ToolAnswer> {
    const result = await this.client.callTool({ name, arguments: input });
    const [content] = result.content;
    const text = content?.type === 'text' ? content.text : '';
    return { isError: result.isError === true, found: result.structuredContent as ToolAnswer['found'], text };
  }

  /** Calls a tool, expects success, and returns the result. */
  async found(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<ToolAnswer['found']> {
    const { isError, found, text } = await this.call(name, input);
    if (isError) throw new Error(`${name} is refused: ${text}`);
    return found;
  }
}

/** The length of the longest message that was received. */
export interface Received {
  bytesMax: number;
}

export async function connectMcp(
  origin: string,
  { allowsWrites = false, token, era = 'modern' }: McpClientOptions = {},
  received: Received = { bytesMax: 0 },
): Promise<McpClient> {
  const client = new Client(
    { name: 'test', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  const url = new URL(`${origin}/_emulator/mcp${allowsWrites ? '?allowWrites=true' : ''}`);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers }, fetch: witnessing(received) }),
  );
  return new McpClient(client);
}

/** Makes a test fail if the OpenAPI description does not have a response. */
function witnessing(received: Received) {
  return async (given: string | URL, init?: RequestInit): Promise<Response> => {
    const url = new URL(given);
    const response = await fetch(url, init);
    const body = await response.clone().text();
    received.bytesMax = Math.max(received.bytesMax, Buffer.byteLength(body));
    const { status, headers } = response;
    witnessAt(init?.method ?? 'GET', `${url.pathname}${url.search}`, { status, headers: [...headers], body });
    return response;
  };
}
