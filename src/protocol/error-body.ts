import { quoteJson } from '../model/json-text.ts';

/**
 * The forms of the service's error documents. The table service sends `json` and `xml`. The front end sends
 * `prefixed-xml`, or `oldest-xml` if it does not know the version of a request. Operations on the service itself also
 * send `prefixed-xml`. Evidence: recorded.
 */
export type ErrorShape = 'json' | 'xml' | 'prefixed-xml' | 'oldest-xml';

export interface ErrorText {
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  /** The time with seven fraction digits. */
  readonly time: string;
}

const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
const prolog = '<?xml version="1.0" encoding="utf-8"?>';
const standaloneProlog = '<?xml version="1.0" encoding="utf-8" standalone="yes"?>';

export function renderErrorBody(shape: ErrorShape, error: ErrorText): string {
  const message = `${error.message}\nRequestId:${error.requestId}\nTime:${error.time}`;
  const text = escapeXml(message);
  switch (shape) {
    case 'json':
      return `{"odata.error":{"code":"${error.code}","message":{"lang":"en-US","value":${quoteJson(message)}}}}`;
    case 'xml':
      return `${prolog}<error xmlns="${metadataNamespace}"><code>${error.code}</code><message xml:lang="en-US">${text}</message></error>`;
    case 'prefixed-xml':
      return `${prolog}<m:error xmlns:m="${metadataNamespace}"><m:code>${error.code}</m:code><m:message xml:lang="en-US">${text}</m:message></m:error>`;
    case 'oldest-xml':
      return `\ufeff${standaloneProlog}\r\n<error xmlns="${metadataNamespace}">\r\n  <code>${error.code}</code>\r\n  <message xml:lang="en-US">${text}</message>\r\n</error>`;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no way to write these
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replace(unwritable, '\ufffd');
}
