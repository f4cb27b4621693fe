// Makes the signatures for all tests, without the code under test. Source: docs, Authorize with Shared Key (Table
// service).

import { createHmac, createSecretKey } from 'node:crypto';

export const developmentKey =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const developmentSecret = createSecretKey(developmentKey, 'base64');

export function hmac(text, key = developmentKey) {
  const secret = key === developmentKey ? developmentSecret : Buffer.from(key, 'base64');
  return createHmac('sha256', secret).update(text, 'utf8').digest('base64');
}

export function authorization({ method, target, headers }, { account, key, scheme }) {
  const headerOf = (name) => {
    const found = Object.entries(headers).find(([sent]) => sent.toLowerCase() === name)?.[1];
    return typeof found === 'string' ? found : (found?.[0] ?? '');
  };
  const [path = '', query = ''] = target.replace(/^https?:\/\/[^/?]*/, '').split(/\?(.*)/s);
  const comp = new URLSearchParams(query).get('comp');
  const resource = `/${account}${path || '/'}${comp ? `?comp=${comp}` : ''}`;
  const date = headerOf('x-ms-date') || headerOf('date');
  const lines =
    scheme === 'SharedKeyLite'
      ? [date, resource]
      : [method, headerOf('content-md5'), headerOf('content-type'), date, resource];
  return `${scheme} ${account}:${hmac(lines.join('\n'), key)}`;
}
