// Removes personal data from recorded requests: the keys and texts of entities, literals, accounts and hosts. The same
// value always gets the same placeholder, and placeholders sort in the same order as their values, so the requests can
// still be repeated. A placeholder keeps the characters of its value that are neither letters nor digits, because
// encoding errors concern these characters.

import { createHash } from 'node:crypto';
import { developmentAccount } from '../auth/accounts.ts';
import { bodyBytes, type Exchange, type NamedValue, type RecordedBody } from './exchange.ts';
import { addressIn } from './rewrite-address.ts';

/** Replaces the values in exchanges. It must have seen all exchanges first. */
export class ValueReplacer {
  readonly #texts = new Set<string>();
  #placeholders: ReadonlyMap<string, string> | undefined;
  readonly #accounts = new Map<string, string>([[developmentAccount.name, developmentAccount.name]]);
  readonly #hosts = new Map<string, string>();

  see(exchange: Exchange): void {
    this.#placeholders = undefined;
    const take = (text: string): string => {
      this.#texts.add(text);
      return text;
    };
    this.#rewrite(exchange, Object.assign(take, { inside: (message: string) => message }));
  }

  /** The placeholder of an account. */
  account(name: string): string {
    return placeholderIn(this.#accounts, name, 'account');
  }

  replace(exchange: Exchange): Exchange {
    this.#placeholders ??= placeholdersFor(this.#texts);
    const placeholders = this.#placeholders;
    const rename = (text: string): string => placeholders.get(text) ?? text;
    return this.#rewrite(
      exchange,
      Object.assign(rename, { inside: (message: string) => replaceInside(message, placeholders) }),
    );
  }

  #rewrite(exchange: Exchange, map: Rename): Exchange {
    const { request, response, startedDateTime, _fault } = exchange;
    const names = this.#namesIn(exchange);
    const text = (given: string): string => names(given);
    const headers = (given: readonly NamedValue[], kept: RegExp): NamedValue[] =>
      given
        .filter(({ name }) => kept.test(name.toLowerCase()))
        .map(({ name, value }) => ({ name, value: headerValue(name.toLowerCase(), this.#signedBy(text(value)), map) }));
    const body = (given: RecordedBody): RecordedBody => {
      // Bytes that are not text may hold anything.
      const plain = given.encoding === 'base64' ? bodyBytes(given).toString('utf8') : (given.text ?? '');
      return { mimeType: mediaType(given.mimeType ?? ''), text: replaceInBody(text(plain), map) };
    };
    return {
      startedDateTime,
      request: {
        method: request.method,
        url: replaceInAddress(text(request.url), map),
        headers: headers(request.headers, keptRequestHeaders),
        ...(request.postData && { postData: body(request.postData) }),
      },
      response: {
        status: response.status,
        headers: headers(response.headers, keptResponseHeaders),
        content: body(response.content),
      },
      ...(_fault === undefined ? {} : { _fault: 'a rule' }),
    };
  }

  /** Replaces the account in a header Authorization, which may differ from the account in the address. */
  #signedBy(value: string): string {
    const known = [...this.#accounts.values()];
    return value.replace(/^(\s*SharedKey(?:Lite)? )([^:\s]{1,64})(?=:)/i, (signed, start: string, account: string) =>
      known.includes(account) ? signed : start + this.account(account),
    );
  }

  /** Replaces hosts and accounts. */
  #namesIn({ request }: Exchange): (text: string) => string {
    const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(request.url) ?? [];
    const account = accountIn(request.url);
    const hostThere = isOfThisMachine(host) || host === '' ? host : placeholderIn(this.#hosts, host, 'host');
    const accountThere = account === undefined ? '' : placeholderIn(this.#accounts, account, 'account');
    const endOfHost =
      account !== undefined && host.toLowerCase().startsWith(`${account}.`) ? host.slice(account.length) : undefined;
    return (text) => {
      // In host style, the host names the account.
      const hosted =
        endOfHost === undefined
          ? text.replaceAll(host, hostThere)
          : text.replaceAll(host, `${accountThere}${endOfHost}`);
      if (account === undefined || account === accountThere) return hosted;
      return hosted.replace(new RegExp(`(?<![a-z0-9])${escaped(account)}(?![a-z0-9])`, 'g'), accountThere);
    };
  }
}

interface Rename {
  (text: string): string;
  /** Replaces values that a message repeats. */
  readonly inside: (message: string) => string;
}

const escaped = (text: string): string => text.replace(/[^a-z0-9]/gi, String.raw`\$&`);

function accountIn(url: string): string | undefined {
  try {
    return addressIn(url).account || undefined;
  } catch {
    return undefined;
  }
}

const isOfThisMachine = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d+)?$/i.test(host);

function placeholderIn(known: Map<string, string>, value: string, word: string): string {
  const placeholder = known.get(value) ?? `${word}${known.size + 1}`;
  known.set(value, placeholder);
  return placeholder;
}

/** Only these headers are kept. Others, such as those of programs, are left out. */
const keptRequestHeaders =
  /^(?:accept|accept-charset|authorization|content-type|content-id|dataserviceversion|maxdataserviceversion|if-match|prefer|x-http-method|x-ms-version|x-ms-date|date|content-md5|origin|access-control-request-.*)$/;
const keptResponseHeaders =
  /^(?:content-type|etag|location|dataserviceid|dataserviceversion|preference-applied|cache-control|x-content-type-options|x-ms-version|x-ms-error-code|x-ms-continuation-.*|server|access-control-.*|www-authenticate|retry-after)$/;

function headerValue(name: string, value: string, map: Rename): string {
  if (name.startsWith('x-ms-continuation-')) return map(value);
  if (name === 'origin' || name === 'access-control-allow-origin')
    return value === '*' ? value : 'https://page.example';
  if (name === 'if-match') return /^(?:\*|W\/"datetime'[^'"]{0,64}'")$/i.test(value) ? value : map(value);
  if (name === 'content-type') return mediaType(value);
  if (name === 'www-authenticate') return value.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, digits);
  return name === 'location' || name === 'dataserviceid' ? replaceInAddress(value, map) : value;
}

/** A media type without the parameters that the service does not know. */
const mediaType = (value: string): string =>
  value
    .split(';')
    .filter((part, at) => at === 0 || /^\s*(?:odata|charset|type|streaming|boundary)=/i.test(part))
    .join(';');

/** Placeholders in the order of the texts, by UTF-16 code units as keys are. */
function placeholdersFor(texts: ReadonlySet<string>): ReadonlyMap<string, string> {
  const sorted = [...texts].filter((text) => text !== '').sort();
  const digits = Math.max(3, String(sorted.length).length);
  return new Map(sorted.map((text, at) => [text, placeholderOf(text, `v${String(at + 1).padStart(digits, '0')}`)]));
}

/** Minimum length of a value that is replaced in a message. Shorter values may be ordinary words. */
const repeatedCharsMin = 3;

function replaceInside(message: string, placeholders: ReadonlyMap<string, string>): string {
  let result = message;
  for (const [text, placeholder] of placeholders) {
    if (text.length >= repeatedCharsMin && message.includes(text)) result = result.replaceAll(text, placeholder);
  }
  return result;
}

const signsMax = 32;

/** The placeholder is padded to the length of the text if the text is longer. */
function placeholderOf(text: string, name: string): string {
  const signs = text.replace(/[\p{L}\p{N}]/gu, '').slice(0, signsMax);
  return `${name}${signs}`.padEnd(text.length, 'x');
}

/**
 * Replaces the personal data in an address: literals, continuations, the key ranges and policies of a signature, and
 * the values of options that the service does not know.
 */
function replaceInAddress(address: string, map: Rename): string {
  const [path = '', ...rest] = address.split('?');
  // Names of tables stay.
  const isOfTables = /^[^('%]*(?:^|\/)Tables(?:\(|%28|$)/i.test(path);
  const pairs = rest.join('?').split('&');
  const query = pairs.map((pair) => replaceInPair(pair, { map, isOfTables }));
  const text = isOfTables ? path : replaceSegments(replaceLiterals(path, map), map);
  return rest.length === 0 ? text : `${text}?${query.join('&')}`;
}

const plainOptions =
  /^(?:\$top|\$select|\$format|comp|restype|timeout|api-version|sv|sp|st|se|ss|srt|spr|tn|sig|nexttablename)$/;

interface PairReplacing {
  readonly map: Rename;
  readonly isOfTables: boolean;
}

function replaceInPair(pair: string, { map, isOfTables }: PairReplacing): string {
  const equals = pair.indexOf('=');
  if (equals === -1) return pair;
  const [name, value] = [decoded(pair.slice(0, equals)).toLowerCase(), pair.slice(equals + 1)];
  if (plainOptions.test(name)) return pair;
  const start = pair.slice(0, equals + 1);
  if (name === 'sip') return `${start}192.0.2.1`;
  if (name !== '$filter') return start + encodeURIComponent(map(decoded(value)));
  return start + (isOfTables ? value : replaceLiterals(value, map).replace(/\d+(?=L\b)/gi, otherDigits));
}

/**
 * Replaces the path segments after the parentheses of a table, because a client can write any text in these segments. A
 * segment that begins with `$` is defined by OData and does not change.
 */
const replaceSegments = (path: string, map: Rename): string =>
  path.replace(/(?<=\)\/.*?)[^/]+/g, (segment) =>
    segment.startsWith('$') ? segment : encodeURIComponent(map(decoded(segment))),
  );

function replaceLiterals(text: string, map: Rename): string {
  return text.replace(quoted, (literal, type: string = '', open: string, inner: string, close: string) => {
    if (/^datetime$/i.test(type)) return literal;
    const plain = decoded(inner).replaceAll("''", "'");
    if (/^(?:guid|binary|x)$/i.test(type)) return `${type}${open}${digits(plain)}${close}`;
    return `${type}${open}${encodeURIComponent(map(plain).replaceAll("'", "''")).replaceAll("'", '%27')}${close}`;
  });
}

const quoted = /(datetime|guid|binary|x)?('|%27)((?:[^'%&\s"<>]|%(?!27)[\dA-F]{2}|''|%27%27| )*)('|%27)/gi;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Hexadecimal digits that replace the digits of a value. */
function digits(text: string): string {
  const hash = createHash('sha256').update(text.toLowerCase()).digest('hex');
  let at = 0;
  return text.replace(/[\da-f]/gi, () => hash[at++ % hash.length] ?? '0');
}

/** The first digit of a 64-bit number stays. */
const otherDigits = (text: string): string => text.slice(0, 1) + '1'.repeat(text.length - 1);

/** Replaces in a body of JSON, XML or a batch. Any other body is a single value. */
function replaceInBody(text: string, map: Rename): string {
  if (!/^\s*--/.test(text)) return replaceInDocument(text, map);
  return text
    .split(/(^--[^\r\n]*(?:\r?\n|(?![\s\S])))/m)
    .map((part) => (part.startsWith('--') ? part : replaceInPart(part, map)))
    .join('');
}

const headOfPart = /^(?:[A-Za-z]{1,16} .* HTTP\/\d\.\d|HTTP\/\d\.\d \d.*)\r?\n(?:[^\r\n]+\r?\n)*(?:\r?\n|$)/m;

/** Replaces in a request or a response with its headers. */
function replaceInPart(part: string, map: Rename): string {
  const head = headOfPart.exec(part);
  const bodyAt = head ? head.index + head[0].length : part.length;
  const addressed = part
    .slice(0, bodyAt)
    .replace(
      /^([A-Za-z]{1,16} |Location: *|DataServiceId: *)([^\s].*?)(?=\r?$| HTTP\/\d)/gim,
      (_, start: string, address: string) =>
        start.startsWith('HTTP') ? start + address : start + replaceInAddress(address, map),
    );
  const kept = addressed.replace(/^([\w-]{1,128}):.*(?:\r?\n|(?![\s\S]))/gm, (line, name: string) =>
    isKeptInPart(name.toLowerCase()) ? line : '',
  );
  return kept + replaceInDocument(part.slice(bodyAt), map);
}

const isKeptInPart = (name: string): boolean =>
  keptRequestHeaders.test(name) ||
  keptResponseHeaders.test(name) ||
  /^content-(?:transfer-encoding|length)$/.test(name);

function replaceInDocument(text: string, map: Rename): string {
  if (/^\s*\ufeff?\s*</.test(text)) return replaceInXml(text, map);
  if (/^\s*[[{"]/.test(text)) return replaceInJson(text, map);
  return text.trim() === '' ? text : map(text);
}

const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"(\s{0,64}:)?/g;
/** Members that the service defines. Their values are not personal. */
const keptMembers = /^(?:odata\.(?!id$|editLink$|nextLink$|metadata$).*|Timestamp|.*@odata\.type)$/;

/** Strings are found without parsing, so malformed JSON works too. */
function replaceInJson(text: string, map: Rename): string {
  const types = new Map<string, string>();
  for (const [, name = '', type = ''] of text.matchAll(
    /"([^"\\]{1,255})@odata\.type"\s{0,64}:\s{0,64}"(Edm\.\w{1,20})"/g,
  ))
    types.set(name, type);
  const isError = /^\s*\{\s*"(?:odata\.)?error"\s*:\s*\{/.test(text);
  const isEntity = text.includes('"RowKey"');
  let member = '';
  return text.replace(jsonString, (token, colon?: string) => {
    const value = stringIn(colon === undefined ? token : token.slice(0, token.length - colon.length));
    if (colon !== undefined) {
      member = value;
      return token;
    }
    if (isError) return JSON.stringify(map.inside(value));
    if (keptMembers.test(member) || (member === 'TableName' && !isEntity)) return token;
    if (member.startsWith('odata.')) return JSON.stringify(replaceInAddress(value, map));
    return JSON.stringify(typed(value, types.get(member), map));
  });
}

function stringIn(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1, -1);
  }
}

function typed(value: string, type: string | undefined, map: Rename): string {
  switch (type) {
    case 'Edm.DateTime':
      return value;
    case 'Edm.Guid':
      return digits(value);
    case 'Edm.Int64':
      return value.replace(/\d+/, otherDigits);
    case 'Edm.Double':
      return value;
    case 'Edm.Binary':
      return Buffer.alloc(Buffer.byteLength(value, 'base64'), createHash('sha256').update(value).digest()).toString(
        'base64',
      );
    default:
      return map(value);
  }
}

function replaceInXml(text: string, map: Rename): string {
  if (/^\s*\ufeff?\s*(?:<\?[^>]*>\s*)?<(?:\w{1,16}:)?error[\s>]/i.test(text)) return map.inside(text);
  const isAtom = /<(?:\w{1,16}:)?(?:entry|feed)[\s>]/i.test(text);
  const plain = text
    .replace(/<!--(?:[^-]|-(?!->))*-->/g, '')
    .replace(/<!\[CDATA\[((?:[^\]]|\](?!\]>))*)\]\]>/g, (_, inner: string) => escapeXml(inner));
  return plain
    .replace(
      /(<(?:[\w.-]{1,64}:)?([\w.-]{1,255})(?:\s[^<>]{0,512})?>)([^<]*)(?=<)/g,
      (element, tag: string, name: string, value: string) =>
        !isAtom || value.trim() === '' || isKeptElement(name, value)
          ? element
          : tag + escapeXml(typed(unescapeXml(value), /type="([^"]*)"/.exec(tag)?.[1], map)),
    )
    .replace(
      /(<id>|href="|xml:base=")([^<"]*)/g,
      (_, start: string, address: string) => start + escapeXml(replaceInAddress(unescapeXml(address), map)),
    )
    .replace(
      /(<(?:Id|AllowedOrigins)>)([^<]*)/g,
      (_, tag: string, value: string) => tag + (value === '*' ? value : escapeXml(map(unescapeXml(value)))),
    );
}

/** Whether an element is kept: times, addresses and names of tables. The title of a feed is the name of a table. */
const isKeptElement = (name: string, value: string): boolean =>
  /^(?:TableName|Timestamp|updated|id)$/.test(name) || (name === 'title' && /^[A-Za-z0-9]*$/.test(value));

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const unescapeXml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
