// Answers input that is not a valid HTTP request. The answer is an HTML page, as from Azure's HTTP layer, and the
// connection is closed.

import { type Connection, responseUnderWay } from './connections.ts';
import type { LingeringClose } from './lingering-close.ts';

interface Page {
  readonly status: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

const invalidUrl: Page = {
  status: '400 Bad Request',
  title: 'Bad Request',
  heading: 'Bad Request - Invalid URL',
  text: 'HTTP Error 400. The request URL is invalid.',
};

const invalidVerb: Page = {
  status: '400 Bad Request',
  title: 'Bad Request',
  heading: 'Bad Request - Invalid Verb',
  text: 'HTTP Error 400. The request verb is invalid.',
};

const pages: Readonly<Partial<Record<string, Page>>> = {
  HPE_INVALID_METHOD: invalidVerb,
  HPE_INVALID_URL: invalidUrl,
  HPE_HEADER_OVERFLOW: {
    status: '400 Bad Request',
    title: 'Bad Request',
    heading: 'Bad Request - Request Too Long',
    text: 'HTTP Error 400. The size of the request headers is too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    title: 'Request Timeout',
    heading: 'Request Timeout',
    text: 'HTTP Error 408. The request timed out.',
  },
};

const malformed: Page = {
  status: '400 Bad Request',
  title: 'Bad Request',
  heading: 'Bad Request',
  text: 'HTTP Error 400. The request is badly formed.',
};

/**
 * Answers malformed HTTP and closes the connection. The responses to earlier requests are sent first. Evidence:
 * documented for control characters in an address (HTTP.sys); assumed for other errors (their pages have the same
 * form).
 */
export function answerMalformed(
  error: Error & { readonly code?: string },
  connection: Connection,
  lingering: LingeringClose,
): void {
  const { socket, latest } = connection;
  // Whatever follows malformed bytes is malformed too.
  if (connection.isMalformed) return;
  connection.isMalformed = true;
  const refuse = (): void => {
    connection.isRefused = true;
    if (socket.writable) lingering.afterMessage(render(pages[error.code ?? ''] ?? malformed), socket);
    else socket.destroy();
  };
  const response = responseUnderWay(connection);
  if (error.code === 'ECONNRESET') socket.destroy(error);
  else if (!latest || !response) refuse();
  else if (latest.request.complete) response.once('close', refuse);
  // The malformed part is the body of the last request. That request may still wait for its turn.
  else if (response.socket === null) response.once('socket', refuse);
  else if (response.headersSent) socket.destroy();
  else refuse();
}

function render({ status, title, heading, text }: Page): string {
  const body =
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN""http://www.w3.org/TR/html4/strict.dtd">\r\n' +
    `<HTML><HEAD><TITLE>${title}</TITLE>\r\n` +
    '<META HTTP-EQUIV="Content-Type" Content="text/html; charset=us-ascii"></HEAD>\r\n' +
    `<BODY><h2>${heading}</h2>\r\n<hr><p>${text}</p>\r\n</BODY></HTML>\r\n`;
  return `HTTP/1.1 ${status}\r\nContent-Type: text/html; charset=us-ascii\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** The answer to CONNECT. Evidence: assumed (it is refused as any other unknown verb is). */
export const invalidVerbPage = render(invalidVerb);
