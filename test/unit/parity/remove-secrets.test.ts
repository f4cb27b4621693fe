import { describe, expect, it } from 'vitest';
import { createSecretRemover } from '../../../src/parity/remove-secrets.ts';

const shortKey = 'c2hvcnRidXRsb25nZW5vdWdo';
const accountKey = `${'Ab1+'.repeat(21)}Zz==`;
const token = 'eyJhbGciOiJub25l.eyJhIjoxfQ.c2lnbmF0dXJl';
const { text, header } = createSecretRemover([shortKey, 'c2hvcnQ=']);

describe('In any text, these are replaced:', () => {
  it.each([
    ['a signature in an address', '/a/T?sv=1&sig=SECRETabc%2Bd%3D&x=1', '/a/T?sv=1&sig=# &x=1'],
    ['one whose name is percent-encoded', '/a?%73%69g=SECRET&x', '/a?%73%69g=#&x'],
    ['one in upper case', '/a?SIG=SECRET', '/a?SIG=#'],
    [
      'one in a JSON string',
      String.raw`{"u":"h?a=1\u0026sig=SEC\u002BRET\u003D\u0026se=3"}`,
      String.raw`{"u":"h?a=1\u0026sig=#\u0026se=3"}`,
    ],
    ['one in XML', '<U>h?a&amp;sig=SEC&#x2B;RET=&amp;se=1</U>', '<U>h?a&amp;sig=#&amp;se=1</U>'],
    ['one in an address inside an address', 'u=h%3Fsig%3DSEC%252BRET%26se%3D1', 'u=h%3Fsig%3D#%26se%3D1'],
    ['the key of a connection string', 'AccountName=a;AccountKey=SECRET/+a==;E=1', 'AccountName=a;AccountKey=#;E=1'],
    [
      'a Shared Key signature',
      'Authorization: SharedKeyLite acc:SECRET/+a=\r\nX: y',
      'Authorization: SharedKeyLite acc:#\r\nX: y',
    ],
    ['a bearer token', 'Authorization: Bearer SECRET.abc.def\r\nX: y', 'Authorization: Bearer #\r\nX: y'],
    ['a token elsewhere', `"t":"${token}"`, '"t":"#"'],
    ['a signature in JSON', '{"sig":"SECRET"}', '{"sig":"#"}'],
    [
      'a token in JSON within JSON',
      String.raw`{"a":"{\"access_token\":\"SECRET\"}"}`,
      String.raw`{"a":"{\"access_token\":\"#\"}"}`,
    ],
    ['one whose name is percent-encoded in upper case', '/a?%53%49%47=SECRET&x', '/a?%53%49%47=#&x'],
    ['the password in an address', 'http://bob:SECRET@h/x', 'http://bob:#@h/x'],
    ['a token in JSON', '{"access_token": "SECRET value"}', '{"access_token": "#"}'],
  ])('%s', (_, given, expected) => {
    const shown = text(given);
    expect(shown.replace(/removed-[\da-f]{12}/g, '#')).toBe(expected.replace('# ', '#'));
    expect(shown).not.toMatch(/SEC|RET/);
  });

  it('a key of an account, recognised as base64 of that length', () => {
    for (const key of [shortKey, accountKey]) {
      const [, shown = ''] = /^a "(.*)" b$/.exec(text(`a "${key}" b`)) ?? [];
      expect(shown).toHaveLength(key.length);
      expect(shown).not.toBe(key);
      expect(Buffer.from(shown, 'base64')).toHaveLength(Buffer.from(key, 'base64').length);
    }
  });
});

const written: readonly (readonly [form: string, write: (key: string) => string])[] = [
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded twice', (key) => encodeURIComponent(encodeURIComponent(key))],
  ['with escaped slashes, as PHP writes JSON', (key) => key.replaceAll('/', String.raw`\/`)],
  ['in escapes of JSON', (key) => key.replace(/[+/=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)],
  ['in escapes of XML', (key) => key.replace(/[+/=]/g, (sign) => `&#${sign.charCodeAt(0)};`)],
];

describe('A key of an account is replaced', () => {
  const keys = [
    Buffer.alloc(18, '\u00ff\u00fb?').toString('base64'),
    Buffer.alloc(64, '\u00ff\u00fb?').toString('base64'),
  ];
  const remover = createSecretRemover([keys[0] ?? '']);
  it.each(written)('%s', (_, write) => {
    for (const key of keys) {
      const form = write(key);
      for (const around of ['"#"', String.raw`"a\n#"`, 'T(PartitionKey=%27#%27)', '%0A#', 'AccountKey%3D#;']) {
        const shown = remover.text(around.replace('#', form));
        expect(shown).not.toContain(form.slice(0, 12));
        expect(shown.startsWith(around.split('#')[0] ?? '')).toBe(true);
      }
    }
  });

  it('even if the account gets it later', () => {
    const key = Buffer.alloc(24, 'later').toString('base64');
    expect(remover.text(key)).toBe(key);
    remover.addKeys([key]);
    expect(remover.text(key)).not.toContain(key);
  });
});

it('a secret always gets the same placeholder, other secrets get others, and so does another recording', () => {
  const shown = (secret: string): string => text(`?sig=${secret}`);
  expect(shown('a')).toBe(shown('a'));
  expect(shown('a')).not.toBe(shown('b'));
  expect(shown('a')).not.toBe(createSecretRemover([]).text('?sig=a'));
});

it.each(['design=round&x', '{"key":"value"}', "Name eq 'AccountKey'", 'Bearer of news', 'a key c2hvcnQ= is short'])(
  '%j stays',
  (given) => {
    expect(text(given)).toBe(given);
  },
);

describe('The value of a header has its secrets replaced:', () => {
  it.each([
    ['authorization', 'SharedKey acc:SECRET=', /^SharedKey acc:removed-\w+$/],
    ['authorization', 'sharedkeylite acc:SECRET=', /^sharedkeylite acc:removed-\w+$/],
    ['authorization', 'Bearer SECRET.x', /^Bearer removed-\w+$/],
    ['authorization', 'SharedKey SECRET', /^SharedKey removed-\w+$/],
    ['authorization', 'SECRET', /^removed-\w+$/],
    ['x-ms-copy-source', 'https://h/b?sig=SECRET&se=1', /^https:\/\/h\/b\?sig=removed-\w+&se=1$/],
    ['x-ms-copy-source-authorization', 'Bearer SECRET', /^Bearer removed-\w+$/],
    ['cookie', 'a=SECRET', /^removed-\w+$/],
    ['x-emulator-token', 'SECRET', /^removed-\w+$/],
    ['referer', 'http://h/?sig=SECRET', /^http:\/\/h\/\?sig=removed-\w+$/],
  ])('%s %j', (name, value, expected) => {
    const shown = header(name)(value);
    expect(shown).toMatch(expected);
    expect(shown).not.toContain('SECRET');
  });
});

it('hostile texts of 256 KiB take time linear in their length', () => {
  const beginnings = [
    'eyJ',
    'sig=',
    'A',
    'Authorization: ',
    'SharedKey ',
    'AccountKey',
    '%25',
    String.raw`\u0026`,
    'Bearer ',
    'g',
    '"access_token"',
    '%73',
  ];
  for (const beginning of beginnings) {
    const given = beginning.repeat(262_144 / beginning.length);
    // A time that grows with the square of the length would exceed the test's time limit.
    expect(text(given).length).toBeGreaterThan(0);
  }
});
