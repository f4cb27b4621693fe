// Request heads that the server refuses before authentication. Most of them are nearly as large as the server accepts,
// because one place is filled with a text that is costly to parse. Each head is a complete request without a body.

/** The server accepts heads of up to 64 KiB. */
const fillChars = 60_000;

/** Texts that separate, escape, nest or repeat something in one of the places. */
const allUnits = [
  ...[
    ',',
    'a/b,',
    'a;q=0.1,',
    ';',
    'a=1;',
    '%2C',
    '%ff',
    '%27',
    '%',
    '&',
    'a&',
    '%ff&',
    '%f=1&',
    "'",
    "''",
    '(',
    "('",
    ')',
  ],
  ...[
    '\\',
    '"',
    '$`',
    '$&',
    '/',
    'a/',
    '-',
    '+',
    ' ',
    ' a',
    '=',
    ':',
    '\t',
    'é',
    '\x9b',
    '*',
    'W/"a",',
    'x-ms-a,',
    'A',
    '0',
  ],
];

const headerNames = [
  ...['Accept', 'Accept-Charset', 'Access-Control-Request-Headers', 'Access-Control-Request-Method', 'Authorization'],
  ...[
    'Content-Length',
    'Content-MD5',
    'Content-Type',
    'Cookie',
    'DataServiceVersion',
    'Date',
    'Expect',
    'Forwarded',
    'Host',
  ],
  ...[
    'If-Match',
    'If-None-Match',
    'MaxDataServiceVersion',
    'Origin',
    'Prefer',
    'Referer',
    'Sec-Fetch-Site',
    'User-Agent',
  ],
  ...['Via', 'X-HTTP-Method', 'x-emulator-explain', 'x-ms-client-request-id', 'x-ms-date', 'x-ms-version'],
];

const optionNames = [
  '$filter',
  '$format',
  '$select',
  '$top',
  '$orderby',
  'api-version',
  'comp',
  'timeout',
  'NextPartitionKey',
];

const tableSasNames = ['tn', 'sp', 'st', 'se', 'si', 'sip', 'spr', 'sv', 'spk', 'srk', 'sig'];
const accountSasNames = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv', 'ses', 'sig'];

const account = '/devstoreaccount1';
const wrongSignature = `${'A'.repeat(43)}=`;

/** A small request that is refused for its signature. All others are compared with it. */
export function ordinaryHead({ host }) {
  return headOf({ host, target: `${account}/Tables`, headers: [['Authorization', wrongSharedKey()], ...dated()] });
}

/** The units at which most parsers split. */
export const separators = [',', '%ff&', ';', "'", '/'];

/** Heads in which every place is filled with every unit, as { name, text }. */
export function hostileHeads({ host, units = allUnits }) {
  return units.flatMap((unit) => {
    const fill = unit.repeat(Math.floor(fillChars / unit.length));
    const urlFill = fill.replace(/[ \t\x80-\xff]/g, (char) => encodeURIComponent(char)).slice(0, fillChars);
    return [...byHeader(fill, host), ...byAddress(urlFill, host)].map(({ place, text }) => ({
      name: `${place}: ${JSON.stringify(unit)}`,
      text,
    }));
  });
}

/** Heads with unsigned bearer tokens, of the maximum size and above it. */
export function tokenHeads({ host }) {
  const encode = (value) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const header = encode({ alg: 'RS256', kid: 'none', typ: 'JWT' });
  const claims = {
    iss: 'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/',
    aud: 'https://storage.azure.com',
    tid: 'ab1f708d-50f6-404c-a006-d71b2ac7a606',
    iat: 0,
    exp: 9_999_999_999,
  };
  const tokenOf = (changes) => `${header}.${encode({ ...claims, ...changes })}.AAAA`;
  const many = (count, make) => Array.from({ length: count }, (_, at) => make(at));
  const tokens = {
    'an unknown key': tokenOf({}),
    'points alone': '.'.repeat(16_384),
    'three long parts': `${'a'.repeat(5_400)}.${'a'.repeat(5_400)}.${'a'.repeat(5_400)}`,
    'sixty thousand characters': 'a'.repeat(60_000),
    'sixty thousand points': '.'.repeat(60_000),
    'many audiences': tokenOf({ aud: many(2_500, () => 'a') }),
    'a long audience': tokenOf({ aud: '/'.repeat(10_000) }),
    'a long issuer': tokenOf({ iss: 'https://sts.windows.net/'.repeat(450) }),
    'many claims': tokenOf(Object.fromEntries(many(900, (at) => [`c${at}`, 0]))),
    'deep claims': `${header}.${encode(`${'['.repeat(6_000)}${']'.repeat(6_000)}`)}.AAAA`,
    'many members in its header': `${encode({ alg: 'RS256', ...Object.fromEntries(many(900, (at) => [`c${at}`, 0])) })}.${encode(claims)}.AAAA`,
    'a long time': tokenOf({ exp: '9'.repeat(10_000) }),
  };
  const head = (headers) => headOf({ host, target: `${account}/Tables`, headers: [...dated(), ...headers] });
  return [
    ...Object.entries(tokens).map(([name, token]) => ({
      name: `a token with ${name}`,
      text: head([['Authorization', `Bearer ${token}`]]),
    })),
    { name: 'many tokens', text: head(many(1_000, (at) => ['Authorization', `Bearer ${at}`])) },
    { name: 'many other headers, twice', text: head(many(1_800, (at) => [`x-${at >> 1}`, 'a'])) },
  ];
}

function byHeader(fill, host) {
  const target = `${account}/Tables`;
  const heads = headerNames.map((name) => {
    const method = name.startsWith('Access-Control') ? 'OPTIONS' : 'GET';
    const asked = { Origin: 'http://page.example', 'Access-Control-Request-Method': 'POST', Host: host, [name]: fill };
    const headers = method === 'OPTIONS' ? Object.entries(asked) : [[name, fill]];
    return { place: name, text: headOf({ host, method, target, headers }) };
  });
  const controlled = ['Host', 'Origin', 'Authorization', 'Sec-Fetch-Site', 'Forwarded'].map((name) => ({
    place: `control ${name}`,
    text: headOf({ host, target: '/_emulator/metrics', headers: [[name, fill]] }),
  }));
  const credentials = (value) => headOf({ host, target, headers: [['Authorization', value], ...dated()] });
  return [
    ...heads,
    ...controlled,
    {
      place: 'Origin of a POST',
      text: headOf({ host, method: 'POST', target, headers: [['Origin', `http://${fill}`]] }),
    },
    { place: 'account signed', text: credentials(`SharedKey ${fill}:${wrongSignature}`) },
    { place: 'signature', text: credentials(`SharedKey devstoreaccount1:${fill}`) },
    {
      place: 'Content-Type signed',
      text: headOf({
        host,
        target,
        headers: [['Authorization', wrongSharedKey()], ...dated(), ['Content-Type', fill]],
      }),
    },
    { place: 'header count', text: headOf({ host, target, headers: Array(7_000).fill(['a', fill.slice(0, 2)]) }) },
  ];
}

function byAddress(fill, host) {
  const signed = [['Authorization', wrongSharedKey()], ...dated()];
  const at = (place, target, headers = []) => ({ place, text: headOf({ host, target, headers }) });
  const tables = `${account}/Tables`;
  const sas = (names, rest) =>
    names.map((name) => {
      const clauses = { ...rest, sig: encodeURIComponent(wrongSignature), [name]: fill };
      return at(`signature ${name}`, `${tables}?${textOf(clauses)}`);
    });
  return [
    at('account', `/${fill}`),
    at('secondary', `/devstoreaccount1-secondary/${fill}`),
    at('table', `${account}/${fill}`),
    at('key', `${account}/pets(${fill})`),
    at('quoted key', `${account}/pets(PartitionKey='${fill}',RowKey='`),
    at('table name', `${account}/Tables('${fill}')`),
    at('query', `${tables}?${fill}`),
    at('path signed', `${account}/${fill}`, signed),
    at('query signed', `${tables}?${fill}`, signed),
    at('control path', `/_emulator/${fill}`),
    at('control query', `/_emulator/metrics?${fill}`),
    ...optionNames.map((name) => at(name, `${tables}?${name}=${fill}`)),
    ...sas(tableSasNames, { sv: '2019-02-02', tn: 'pets', se: '2020-01-01' }),
    ...sas(accountSasNames, { sv: '2019-02-02', ss: 't', srt: 'o', sp: 'r', se: '2020-01-01' }),
  ];
}

const textOf = (clauses) =>
  Object.entries(clauses)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const wrongSharedKey = () => `SharedKey devstoreaccount1:${wrongSignature}`;
const dated = () => [['x-ms-date', new Date().toUTCString()]];

function headOf({ host, method = 'GET', target, headers }) {
  const names = new Set(headers.map(([name]) => name));
  const all = [
    ['Host', host],
    ['x-ms-version', '2019-02-02'],
    ['Accept', 'application/json'],
    ...(method === 'POST' ? [['Content-Length', '0']] : []),
  ];
  const lines = [...all.filter(([name]) => !names.has(name)), ...headers].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
