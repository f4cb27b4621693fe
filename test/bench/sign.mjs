// Shared Key Lite over path-style addresses: the string to sign is the date and the account before the path, which names it again.
import { createHmac, createSecretKey } from 'node:crypto';

export const account = 'devstoreaccount1';
export const accountKey = createSecretKey(
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'base64',
);

export function authorization({ date, path }) {
  const signature = createHmac('sha256', accountKey).update(`${date}\n/${account}${path}`).digest('base64');
  return `SharedKeyLite ${account}:${signature}`;
}

// The text of a whole request but its body, signed. A signature holds for 15 minutes: render anew for each slice.
// It covers no query, so a query may be put behind the path of a head that is there already.
export function requestHead({ method, path, port, headers = {} }) {
  const date = new Date().toUTCString();
  const all = {
    Host: `127.0.0.1:${port}`,
    Accept: 'application/json;odata=minimalmetadata',
    'x-ms-version': '2019-02-02',
    'x-ms-date': date,
    Authorization: authorization({ date, path }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
