import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  canonicalizedResource,
  isSignedBy,
  type SignedParts,
  sharedKeyLiteText,
  sharedKeyText,
} from '../../../src/auth/shared-key.ts';

// Signatures that were made with the well-known account and key at one moment. The ones with SDK in their names come
// from the published packages (data-tables 13.3.2, azure-storage 2.10.7), which ran with a stopped clock. The others
// were computed separately.
const account = 'devstoreaccount1';
const key = createSecretKey(
  Buffer.from('Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==', 'base64'),
);
const date = 'Mon, 15 Jan 2024 10:30:00 GMT';

interface Vector {
  readonly name: string;
  readonly scheme: 'SharedKey' | 'SharedKeyLite';
  readonly request: Partial<SignedParts> & { readonly wirePath: string };
  /** The string to sign. `D` stands for the date. */
  readonly text: string;
  readonly signature: string;
}

const awkwardPath = "/devstoreaccount1/Inventory(PartitionKey='O''Neil%20caf%C3%A9',RowKey='a%20b%2Bc%252F%23')";
const encodedPath = '/devstoreaccount1/Inventory(PartitionKey=%27O%27%27Neil%27,RowKey=%27a%20b%25%27)';
const plainPath = "/devstoreaccount1/Inventory(PartitionKey='p',RowKey='r')";

const vectors: readonly Vector[] = [
  {
    name: 'V1, SDK: a query of tables',
    scheme: 'SharedKeyLite',
    request: { wirePath: '/devstoreaccount1/Tables' },
    text: 'D\n/devstoreaccount1/devstoreaccount1/Tables',
    signature: 'cEBSug72owy6q1KC8NApluYnzuqec+joeP89eA8+B0M=',
  },
  {
    name: 'V2, SDK: service properties',
    scheme: 'SharedKeyLite',
    request: { wirePath: '/devstoreaccount1/', comp: 'properties' },
    text: 'D\n/devstoreaccount1/devstoreaccount1/?comp=properties',
    signature: 't7C2rhEd/cYHZxw9VGXL3RqZ3SVz7Y9uLYEQZcOeWkg=',
  },
  {
    name: 'V3, SDK: a table ACL',
    scheme: 'SharedKeyLite',
    request: { method: 'PUT', wirePath: '/devstoreaccount1/Inventory', comp: 'acl' },
    text: 'D\n/devstoreaccount1/devstoreaccount1/Inventory?comp=acl',
    signature: 'oG2BOjNLIZ8G4u0v2b+Y0ochRGrJBVrO2cPsPgY1AkU=',
  },
  {
    name: 'V4, SDK: keys with quotes, percent signs and letters beyond ASCII',
    scheme: 'SharedKeyLite',
    request: { wirePath: awkwardPath },
    text: `D\n/devstoreaccount1${awkwardPath}`,
    signature: 'EoPnnJ+jEjQ0iNa1OqeXZ6uVlqBpIEboD+ljSmfPjYw=',
  },
  {
    name: 'V5, SDK: an entity group transaction',
    scheme: 'SharedKeyLite',
    request: { method: 'POST', wirePath: '/devstoreaccount1/$batch' },
    text: 'D\n/devstoreaccount1/devstoreaccount1/$batch',
    signature: 'uOt9pNimJLpci1h9sVYazWpjdmlznydLPOUOD/E1Ai8=',
  },
  {
    name: 'V6, SDK: the secondary',
    scheme: 'SharedKeyLite',
    request: { wirePath: '/devstoreaccount1-secondary/Tables' },
    text: 'D\n/devstoreaccount1/devstoreaccount1-secondary/Tables',
    signature: 'mhnwME1CJqaYMb5D6klrRJTMcbCbun3E/8+21TlGZAE=',
  },
  {
    name: 'V7, SDK: host style',
    scheme: 'SharedKeyLite',
    request: { wirePath: '/Tables' },
    text: 'D\n/devstoreaccount1/Tables',
    signature: 'jjs4nklT5xePjaOe1m5rdzmSx8RWpGbdv8blJjwh2iA=',
  },
  {
    name: 'V8, SDK: service properties, host style',
    scheme: 'SharedKeyLite',
    request: { wirePath: '/', comp: 'properties' },
    text: 'D\n/devstoreaccount1/?comp=properties',
    signature: 'Lj4Xsqv2SKYv9kAUdwH4YKWCZJxVaeDo9m0qTvDVf/8=',
  },
  {
    name: 'V9, SDK: Create Table',
    scheme: 'SharedKey',
    request: { method: 'POST', wirePath: '/devstoreaccount1/Tables', contentType: 'application/json' },
    text: 'POST\n\napplication/json\nD\n/devstoreaccount1/devstoreaccount1/Tables',
    signature: 'zYMweQl3FF0xxGdhPZVUisK+stBgUWrWovsVIjxZHNM=',
  },
  {
    name: 'V10, SDK: a merge, every quote encoded',
    scheme: 'SharedKey',
    request: { method: 'MERGE', wirePath: encodedPath, contentType: 'application/json' },
    text: `MERGE\n\napplication/json\nD\n/devstoreaccount1${encodedPath}`,
    signature: 'CubVIeoK7GBYouycex3gR7A57PNqAjaFE/Pwtw6hfcE=',
  },
  {
    name: 'V11, SDK: a table ACL, empty Content-Type',
    scheme: 'SharedKey',
    request: { wirePath: '/devstoreaccount1/Inventory', comp: 'acl' },
    text: 'GET\n\n\nD\n/devstoreaccount1/devstoreaccount1/Inventory?comp=acl',
    signature: 'OveNuhLa1LcaO0E3b3ZgSIRhIe1KArzbgqI2tdanA1w=',
  },
  {
    name: 'V12, SDK: a query with a filter, which is not signed',
    scheme: 'SharedKey',
    request: { wirePath: '/devstoreaccount1/Inventory' },
    text: 'GET\n\n\nD\n/devstoreaccount1/devstoreaccount1/Inventory',
    signature: '4V3vBFhmMi6iZOybbDeNm+PC10XBSD8SD5yl63xPrWc=',
  },
  {
    name: 'V13: an insert, Content-Type with a parameter',
    scheme: 'SharedKey',
    request: {
      method: 'POST',
      wirePath: '/devstoreaccount1/Inventory',
      contentType: 'application/json;odata=nometadata',
    },
    text: 'POST\n\napplication/json;odata=nometadata\nD\n/devstoreaccount1/devstoreaccount1/Inventory',
    signature: 'zK0M1ju1HB7rxu2hfFBx5hIcMVWkEbsQfbIfkNZF5e4=',
  },
  {
    name: 'V14: an insert with Content-MD5',
    scheme: 'SharedKey',
    request: {
      method: 'POST',
      wirePath: '/devstoreaccount1/Inventory',
      contentType: 'application/atom+xml',
      contentMd5: 'mDjY1MKLKUyaWxTt8vP8Ww==',
    },
    text: 'POST\nmDjY1MKLKUyaWxTt8vP8Ww==\napplication/atom+xml\nD\n/devstoreaccount1/devstoreaccount1/Inventory',
    signature: 'lsXw6CgzbToYIScYqiuOvR7xCfy1GuyoIWBZe/Wzlbw=',
  },
  {
    name: 'V15: an entity group transaction',
    scheme: 'SharedKey',
    request: {
      method: 'POST',
      wirePath: '/devstoreaccount1/$batch',
      contentType: 'multipart/mixed; boundary=batch_01',
    },
    text: 'POST\n\nmultipart/mixed; boundary=batch_01\nD\n/devstoreaccount1/devstoreaccount1/$batch',
    signature: 'OEEHJYvGPqLVhDuVO+sUUgl8nJvjhysRVEDwnytjXrA=',
  },
  {
    name: 'V16: one entity, any verb',
    scheme: 'SharedKeyLite',
    request: { method: 'DELETE', wirePath: plainPath },
    text: `D\n/devstoreaccount1${plainPath}`,
    signature: 'yEtseLR0QBTwhhchlJmDcx9IV9VcO5KlzcY3liWSEPo=',
  },
];

function textOf({ scheme, request }: Vector): string {
  const parts = { method: 'GET', contentMd5: '', contentType: '', account, comp: undefined, ...request };
  return scheme === 'SharedKey' ? sharedKeyText(parts, date) : sharedKeyLiteText(parts, date);
}

describe('The string to sign and its signature', () => {
  it.each(vectors)('are right for $name', (vector) => {
    expect(textOf(vector)).toBe(vector.text.replace(/(^|\n)D\n/, `$1${date}\n`));
    expect(isSignedBy([key], textOf(vector), vector.signature)).toBe(true);
  });

  it('differ between host style and path style: neither is accepted in place of the other', () => {
    const [pathStyle, hostStyle] = [vectors[0]!, vectors[6]!];
    expect(isSignedBy([key], textOf(pathStyle), hostStyle.signature)).toBe(false);
    expect(isSignedBy([key], textOf(hostStyle), pathStyle.signature)).toBe(false);
  });

  it('are different for every vector', () => {
    for (const signed of vectors) {
      const fitting = vectors.filter((vector) => isSignedBy([key], textOf(vector), signed.signature));
      expect(fitting.map(({ name }) => name)).toEqual([signed.name]);
    }
  });
});

describe('The resource that is signed', () => {
  const parts = { method: 'GET', contentMd5: '', contentType: '', account: 'one' };

  it('always has a path, and has comp unless comp is empty', () => {
    expect(canonicalizedResource({ ...parts, wirePath: '', comp: undefined })).toBe('/one/');
    expect(canonicalizedResource({ ...parts, wirePath: '/T', comp: '' })).toBe('/one/T');
    expect(canonicalizedResource({ ...parts, wirePath: '/T', comp: 'acl' })).toBe('/one/T?comp=acl');
  });
});

describe('A signature', () => {
  const { signature } = vectors[0]!;
  const text = textOf(vectors[0]!);
  const other = createSecretKey(Buffer.from('another key'));

  it('may be made with either key', () => {
    expect(isSignedBy([other, key], text, signature)).toBe(true);
    expect(isSignedBy([key, other], text, signature)).toBe(true);
    expect(isSignedBy([other], text, signature)).toBe(false);
    expect(isSignedBy([], text, signature)).toBe(false);
  });

  it.each([
    '',
    'A',
    '!',
    'AAAA',
    signature.slice(4),
    signature.toLowerCase(),
    `${signature}AAAA`,
    `${'A'.repeat(43)}=`,
  ])('cannot be %j', (wrong) => {
    expect(isSignedBy([key], text, wrong)).toBe(false);
  });
});
