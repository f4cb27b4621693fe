// Renders a request of the list as a command that sends the request again. The command has neither a signature nor a
// body, because the list never contains them.

import type { LiveRequest } from '../../../control/observe/live-request.ts';
import { quotedShell } from '../../snippets/quoted.ts';

/** The parameters of a shared access signature. They are left out, because a new signature has its own. */
const signatureParameters = new Set(
  'sv ss srt sp se st spr sip sig si sr tn spk srk epk erk skoid sktid skt ske sks skv ses'.split(' '),
);

/** Headers that curl makes itself, or that belong to the missing signature. */
const ownHeaders = new Set(
  'host connection content-length authorization transfer-encoding expect date x-ms-date cookie accept-encoding'.split(
    ' ',
  ),
);

/** The request as a curl command for a POSIX shell. `origin` is the emulator's: `http://127.0.0.1:10002`. */
export function curlCommand({ method, url, requestHeaders, bytesIn }: LiveRequest, origin: string): string {
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const kept = query.split('&').filter((part) => {
    const name = (part.split('=', 1)[0] ?? '').toLowerCase();
    return part !== '' && !signatureParameters.has(name);
  });
  const address = `${origin}${path}?${kept.map((part) => `${part}&`).join('')}`;
  const headers = requestHeaders
    .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
    .map(([name, value]) => `  --header ${quotedShell(`${name}: ${value}`)}`);
  const body = bytesIn > 0 ? ['  --data-binary @body'] : [];
  return [
    '# SAS holds a shared access signature; the page Connect makes one.',
    ...(bytesIn > 0 ? ['# The emulator keeps no bodies: write the one to send into the file `body`.'] : []),
    [`curl --request ${method} ${quotedShell(address)}"$SAS"`, ...headers, ...body].join(' \\\n'),
  ].join('\n');
}

/** The request as a `tanzanite` command; undefined if no command does this operation. */
export function tanzaniteCommand(request: LiveRequest): string | undefined {
  const words = wordsOf(request);
  if (!words) return undefined;
  const { command, flags = [], values } = words;
  const options = ['--url', window.location.origin, '--account', request.account, ...flags];
  const separator = values.some((value) => value.startsWith('-')) ? ['--'] : [];
  return ['tanzanite', command, ...options.map(shellWord), ...separator, ...values.map(shellWord)].join(' ');
}

interface CommandWords {
  readonly command: string;
  readonly flags?: readonly string[];
  readonly values: readonly string[];
}

function wordsOf({ operation, table, partitionKey, rowKey, filter, select }: LiveRequest): CommandWords | undefined {
  if (operation === 'QueryTables') return { command: 'table list', values: [] };
  if (table === undefined) return undefined;
  if (operation === 'DeleteTable') return { command: 'table delete', values: [table] };
  if (operation === 'QueryEntities') {
    const flags = select === undefined ? [] : ['--select', select];
    return { command: 'entity query', flags, values: [table, ...(filter === undefined ? [] : [filter])] };
  }
  if (partitionKey === undefined || rowKey === undefined) return undefined;
  const values = [table, partitionKey, rowKey];
  switch (operation) {
    case 'GetEntity':
      return { command: 'entity get', values };
    case 'DeleteEntity':
      return { command: 'entity delete', values };
    case 'InsertEntity':
    case 'UpdateEntity':
    case 'InsertOrReplaceEntity':
      return { command: 'entity put', flags: ['--file', 'body'], values };
    case 'MergeEntity':
    case 'InsertOrMergeEntity':
      return { command: 'entity merge', flags: ['--file', 'body'], values };
    default:
      return undefined;
  }
}

const shellWord = (word: string): string => (/^[\w./:@-]+$/.test(word) ? word : quotedShell(word));
