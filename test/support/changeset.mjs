// Writes and reads the text of an entity group transaction, which is a changeset of requests. The response has a part
// for each request, or a single part with an error.

/**
 * Returns the body of `POST /$batch`, and its Content-Type. The requests are those of JsonClient, with complete
 * addresses.
 */
export function encodeChangeset(requests) {
  const lines = ['--batch_crash', 'Content-Type: multipart/mixed; boundary=changeset_crash', ''];
  for (const { method, url, ifMatch, body } of requests) {
    lines.push('--changeset_crash', 'Content-Type: application/http', 'Content-Transfer-Encoding: binary', '');
    lines.push(`${method} ${url} HTTP/1.1`, 'Accept: application/json;odata=minimalmetadata');
    lines.push('Prefer: return-no-content', 'DataServiceVersion: 3.0;');
    if (ifMatch !== undefined) lines.push(`If-Match: ${ifMatch}`);
    if (body !== undefined) lines.push('Content-Type: application/json');
    lines.push('', body === undefined ? '' : JSON.stringify(body));
  }
  lines.push('--changeset_crash--', '--batch_crash--', '');
  return { contentType: 'multipart/mixed; boundary=batch_crash', text: lines.join('\r\n') };
}

/** The responses inside the response to a batch, in order: `{ status, etag, index }`. An error has an index. */
export function decodeChangesetAnswer(text) {
  return text
    .split(/^--changesetresponse_[^\r]*\r\n/m)
    .slice(1, -1)
    .map((part) => {
      const status = Number(/^HTTP\/1\.1 (\d{3}) /m.exec(part)?.[1]);
      const etag = /^ETag: (.*?)\r$/m.exec(part)?.[1];
      const index = /"value":"(\d+):/.exec(part)?.[1];
      return { status, etag, index: index === undefined ? undefined : Number(index) };
    });
}
