// A server in front of an emulator. It forwards everything, and makes the changes that a test plants.

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Passed {
  readonly method: string;
  readonly url: string;
}

export interface PassedResponse {
  status: number;
  /** Names and values, alternating. */
  headers: string[];
  body: Buffer;
}

export interface PlantedServer {
  readonly url: string;
  /** The requests that were sent, in order. */
  readonly requests: readonly Passed[];
  close(): Promise<void>;
}

/** `plant` changes a response. If it returns undefined, the request is never answered. */
export async function plantServer(
  origin: string,
  plant: (request: Passed, response: PassedResponse) => PassedResponse | undefined,
): Promise<PlantedServer> {
  const requests: Passed[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', rawHeaders } = incoming;
    requests.push({ method, url });
    const target = new URL(origin);
    const onward = request(
      {
        host: target.hostname,
        port: target.port,
        method,
        path: url,
        headers: rawHeaders as unknown as Record<string, string>,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const given = {
            status: answer.statusCode ?? 0,
            headers: [...answer.rawHeaders],
            body: Buffer.concat(chunks),
          };
          const planted = plant({ method, url }, given);
          if (!planted) return;
          const lengthAt = planted.headers.findIndex(
            (name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length',
          );
          if (lengthAt !== -1) planted.headers.splice(lengthAt, 2);
          outgoing.writeHead(planted.status, planted.headers);
          outgoing.end(planted.body);
        });
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
