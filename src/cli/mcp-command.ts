// Implements `tanzanite mcp`: the Model Context Protocol on standard input and output. An editor starts this process,
// which serves the protocol, the documents and the prompts. A running emulator does the work of the tools. The emulator
// may start or restart while this process runs.

import type { Command } from 'commander';
import type { ServedTools, ToolCall } from '../mcp/create-server.ts';
import { askText, type ControlAddress } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { ControlRefusal, NoAnswer } from './exit-codes.ts';
import { remark } from './standard-output.ts';

const help = `
An editor or an assistant starts this command and talks to it. The command asks
a running emulator and does not start one. docs/agents.md describes how to
configure each editor.

Without --allow-writes the tools only read. With it they also write entities,
load, empty and restore tables, stage faults and set the clock.

The emulator serves the same over HTTP at /_emulator/mcp, or with writes at
/_emulator/mcp?allowWrites=true.

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface McpFlags extends ControlFlags {
  readonly allowWrites?: true;
}

/** `tanzanite mcp` */
export function addMcp(command: Command, { environment }: CommandContext): void {
  addControlFlags(command)
    .summary('let an assistant in your editor ask the emulator')
    .description('serve the Model Context Protocol on standard input and output')
    .option('--allow-writes', 'offer the tools that change data, faults and the clock')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: McpFlags) => serve(readControlAddress(flags, environment), flags.allowWrites === true));
}

async function serve(address: ControlAddress, allowsWrites: boolean): Promise<void> {
  if (process.stdin.isTTY) {
    remark('an editor starts tanzanite mcp and exchanges messages with it; docs/agents.md says how. Ctrl-C ends it.');
  }
  const { serveStdio } = await import('../mcp/serve-stdio.ts');
  const gone = new AbortController();
  beginToKeep(address, gone.signal);
  await serveStdio({
    allowsWrites,
    callTool: (call) =>
      callTool({ ...call, signal: AbortSignal.any([call.signal, gone.signal]) }, { address, allowsWrites }),
  });
  // A call may last minutes and would keep the process from ending.
  gone.abort();
}

const accept = 'application/json, text/event-stream';

/** Asks a running emulator to keep the requests of the application from now on. */
function beginToKeep(address: ControlAddress, signal: AbortSignal): void {
  const body = { jsonrpc: '2.0', id: 0, method: 'ping' };
  askText({ method: 'POST', path: 'mcp', body, accept, signal }, address).catch(() => undefined);
}

interface Target {
  readonly address: ControlAddress;
  readonly allowsWrites: boolean;
}

type CallResult = Awaited<ReturnType<ServedTools['callTool']>>;

/** Larger than the protocol message for an answer of 64 KiB. */
const answerBytesMax = 1_048_576;
/** Trying a design of keys with many entities takes long. */
const timeoutMs = 300_000;

async function callTool({ name, input, signal }: ToolCall, { address, allowsWrites }: Target): Promise<CallResult> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  const path = allowsWrites ? 'mcp?allowWrites=true' : 'mcp';
  const question = { method: 'POST', path, body, accept, signal, timeoutMs, answerBytesMax } as const;
  try {
    return resultIn(await askText(question, address), address);
  } catch (error) {
    if (error instanceof NoAnswer)
      return refusal(error instanceof ControlRefusal ? error.code : 'NoEmulator', error.message);
    throw error;
  }
}

/** Reads the result from the message in an event stream, or from the body itself. Throws NoAnswer. */
function resultIn(text: string, { url }: ControlAddress): CallResult {
  const json = /^data: (\{.*\})\r?$/m.exec(text)?.[1] ?? text;
  const { result, error } = readMessage(json);
  if (result) return result;
  throw new NoAnswer(error?.message ?? `the server at ${url} is not an emulator of this version.`);
}

interface Message {
  readonly result?: CallResult;
  readonly error?: { readonly message?: string };
}

function readMessage(json: string): Message {
  try {
    return JSON.parse(json) as Message;
  } catch {
    return {};
  }
}

function refusal(code: string, reason: string): CallResult {
  const message = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
  const structuredContent = { error: { code, message } };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent, isError: true };
}
