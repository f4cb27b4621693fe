import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { createTableServer, type ServedTools } from './create-server.ts';

/** Serves the client at the other end of standard input and output; resolves when it disconnects. */
export function serveStdio(served: ServedTools): Promise<void> {
  const { stdin, stdout } = process;
  return new Promise((resolve) => {
    stdin.once('end', resolve).once('close', resolve).once('error', resolve);
    stdout.once('error', resolve);
    serve(() => createTableServer(served), { transport: new StdioServerTransport(stdin, stdout) });
  });
}
