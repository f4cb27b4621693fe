// Splits a batch and its response as far as necessary to pair each request with its response.

export interface InnerRequest {
  readonly method: string;
  readonly target: string;
}

export interface InnerResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/**
 * Returns the method and target of each request in a batch. Removes the scheme and the host from each target. Also
 * removes `prefix`, or the same prefix for the secondary.
 */
export function requestsIn(body: string, prefix: string): readonly InnerRequest[] {
  return [...body.matchAll(/^([A-Z]+) (\S.*?) HTTP\/1\.\d\r?$/gm)].map(([, method = '', url = '']) => {
    const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
    const primary = prefix.replace(/-secondary$/, '');
    const [below = target] = [`${primary}-secondary`, primary].flatMap((root) =>
      root.length > 1 && target.startsWith(`${root}/`) ? [target.slice(root.length)] : [],
    );
    return { method, target: below.startsWith('/') ? below : `/${below}` };
  });
}

/** The responses in the response to a batch, including those in changesets. Throws if there are no parts. */
export function answersIn(contentType: string, body: string): readonly InnerResponse[] {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1];
  if (boundary === undefined || !body.includes(`--${boundary}--`)) throw new Error('the answer is not in parts');
  const [inside = ''] = body.split(`--${boundary}--`, 1);
  const [, ...parts] = inside.split(`--${boundary}\r\n`);
  return parts.flatMap((part) => {
    const { head, rest } = cut(part);
    const type = /^content-type:\s*(multipart\/mixed.*)$/im.exec(head)?.[1];
    return type === undefined ? [answerIn(rest)] : answersIn(type, rest);
  });
}

/** A response inside a batch. Its body ends with the text, except for one line end. */
export function answerIn(text: string): InnerResponse {
  const { head, rest } = cut(text);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(statusLine)?.[1]);
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return { status, headers, body: rest.replace(/\r\n$/, '') };
}

function cut(text: string): { head: string; rest: string } {
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? { head: text, rest: '' } : { head: text.slice(0, end), rest: text.slice(end + 4) };
}
