import fc from 'fast-check';
import { anyKey, pathOf } from '../../support/arbitrary-entity.ts';
import { codeOf } from '../../support/batch-requests.ts';
import { damaged } from '../damage.ts';
import { outcomeOf, service } from '../emulator.ts';
import { type Outcome, target } from '../target.ts';

const table = 'addressed';

const tokens = [
  ...[
    '/',
    '//',
    '/..',
    '/./',
    '\\',
    '?',
    '&',
    '=',
    '#',
    '(',
    ')',
    "'",
    "''",
    ',',
    '%',
    '%2',
    '%00',
    '%27',
    '%2F',
    '%5C',
    '%c3',
  ],
  ...['%ED%A0%80', '%FF', '+', ';', ':', '*', '|', '$', '$batch', '$metadata', '/Tables', 'Tables', `/${table}`, table],
  ...[
    "(PartitionKey='p',RowKey='r')",
    "PartitionKey='p'",
    "RowKey='r'",
    '()',
    '-secondary',
    '/devstoreaccount1',
    'http://',
  ],
  ...[
    '$top=1',
    '$top=1001',
    '$top=-1',
    '$select=A,B',
    '$select=*',
    '$select=',
    '$filter=',
    '$orderby=A',
    '$format=json',
  ],
  ...['$skip=1', '$inlinecount=allpages', 'NextPartitionKey=1!8!cA--', 'NextRowKey=x', 'NextTableName=x', 'timeout=1'],
  ...[
    'comp=acl',
    'restype=service',
    'comp=properties',
    'comp=batch',
    'sig=x',
    'api-version=2019-02-02',
    'a'.repeat(300),
  ],
];

const sound = fc.oneof(
  anyKey.map((key) => pathOf(table, key)),
  fc.constantFrom('/', '/Tables', `/Tables('${table}')`, `/${table}`, `/${table}()`, '/$batch'),
  fc.constantFrom(
    `/${table}()?$top=1&$select=A`,
    `/${table}?comp=acl`,
    '/?restype=service&comp=properties',
    '/?restype=service&comp=stats',
    "/Tables?$filter=TableName%20ge%20'a'&$top=2",
    `/${table}()?NextPartitionKey=1!4!cA--&NextRowKey=1!4!cg--`,
  ),
);

interface AddressedRequest {
  readonly method: string;
  readonly path: string;
}

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

const methods = ['GET', 'POST', 'PUT', 'MERGE', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const inputs: fc.Arbitrary<AddressedRequest> = fc.record({
  method: fc.oneof(fc.constant('GET'), fc.constantFrom(...methods)),
  // Other bytes are encoded: unencoded, they would be malformed HTTP.
  path: damaged(sound, tokens).map((path) => path.replaceAll(/[^!-~]/g, escaped).replace(/^(?!\/)/, '/')),
});

let made: Promise<void> | undefined;

async function check({ method, path }: AddressedRequest): Promise<Outcome> {
  made ??= service.createTable(table);
  await made;
  const headers = method === 'DELETE' || method === 'PUT' ? { 'If-Match': '*' } : {};
  const body = ['POST', 'PUT', 'MERGE', 'PATCH'].includes(method)
    ? '{"PartitionKey":"p","RowKey":"r","A":1}'
    : undefined;
  const answer = await service.send({ method, path, headers, body });
  // If a filter over tables names a property other than TableName, the service answers 500. The emulator also answers
  // 500 in this case, and logs no error.
  const isKnown = answer.status === 500 && codeOf(answer) === 'InternalError' && /^\/+Tables\b.*filter/i.test(path);
  const outcome = outcomeOf(isKnown ? { ...answer, status: 400, body: '' } : answer);
  if (outcome === 'accepted' && method === 'DELETE') made = ensureTable();
  return outcome;
}

/** Creates the table again, because a request may have deleted it. */
async function ensureTable(): Promise<void> {
  const body = JSON.stringify({ TableName: table });
  await service.send({ method: 'POST', path: '/Tables', body });
}

export const addresses = target({ name: 'addresses', share: 12, inputs, check });
