import type { RequestRecord } from '../model/request-record.ts';

/** Names of accounts, tables and the service's own resources, which need no escape. */
const plainSegment = /^[\w$.-]{1,63}$/;
/**
 * The path of the address without its query and without keys. Text after an opening parenthesis, even an encoded one, is
 * replaced, and so is every segment that is not a name or that follows the table. The path begins with a slash.
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
