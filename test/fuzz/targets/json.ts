import fc from 'fast-check';
import { anyKey, anyMembers, bodyOf } from '../../support/arbitrary-entity.ts';
import { bytesOf, damaged, documentOf } from '../damage.ts';
import type { Outcome } from '../target.ts';
import { target } from '../target.ts';
import { checkWrite } from '../written-entity.ts';

const tokens = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    '\\ud800',
    '\\u0000',
    'null',
    'true',
    '1e999',
    '-0',
    '1E400',
    '.5',
    '00',
  ],
  ...[
    '"PartitionKey":',
    '"RowKey":"r",',
    '"Timestamp":"x",',
    '"odata.etag":"W/x",',
    '"__proto__":1,',
    '"":1,',
    '"A":{}',
    '/**/',
  ],
  ...[
    '"A@odata.type":"Edm.Int64",',
    '"A@odata.type":"Edm.',
    '@odata.type',
    '"A":"x",',
    '"A":1,',
    '['.repeat(5_000),
    '\u2028',
  ],
];

const sound = fc.tuple(anyMembers, anyKey).map(([members, keys]) => documentOf(bodyOf(members, keys)));

async function check(document: string): Promise<Outcome> {
  return checkWrite({ body: bytesOf(document), contentType: 'application/json' });
}

export const json = target({ name: 'json', share: 12, inputs: damaged(sound, tokens), check });
