import type { RequestRecord } from '../model/request-record.ts';

/** The name of an account, of a table or of a resource of the service. It needs no escape. */
const plainSegment = /^[\w$.-]{1,63}$/;
/**
 * Returns the path of the address without its query and without keys. The path begins with a slash. Text after an
 * opening parenthesis is replaced, even if the parenthesis is encoded. Segments that are not names, and segments after
 * the table, are replaced too.
 */
export function maskedPath({ url, account }: Pick<RequestRecord, 'url' | 'account'>): string {
  const [address = ''] = url.split(/[?#]/, 1);
  const path = address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const [open = '', bracket, inside = ''] = path.split(/(\(|%28)(.*)/is, 3);
  const [, ...all] = open.split('/');
  // The account, if it is not in the host, and the table or other resource.
  const namesMax = account !== '' && all[0]?.replace(/-secondary$/, '') === account ? 2 : 1;
  const segments = all
    .slice(0, namesMax + 1)
    .map((segment, at) => (segment === '' || (at < namesMax && plainSegment.test(segment)) ? segment : hidden));
  return `/${segments.join('/')}${bracket === undefined ? '' : inside === ')' ? '()' : `(${hidden})`}`;
}

const hidden = 'REDACTED';
