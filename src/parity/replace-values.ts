// Removes personal data from recorded requests: keys and texts of entities, literals, accounts, hosts. A value has the same placeholder
// everywhere, and placeholders sort as their values do, so that the requests can still be repeated. Characters other than letters and
// digits stay in the placeholder, because encoding errors concern them.

import { createHash } from 'node:crypto';
import { developmentAccount } from '../auth/accounts.ts';
import { bodyBytes, type Exchange, type NamedValue, type RecordedBody } from './exchange.ts';
import { addressIn } from './rewrite-address.ts';

/** Replaces the values of exchanges, all of which it must have seen first. */
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
        .map(({ name, value }) => ({ name, value: headerValue(name.toLowerCase(), text(value), map) }));
    const body = (given: RecordedBody): RecordedBody => {
      // Bytes that are not text may hold anything.
      const plain = given.encoding === 'base64' ? bodyBytes(given).toString('utf8') : (given.text ?? '');
      return { mimeType: given.mimeType, text: replaceInBody(text(plain), map) };
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

  /** Hosts and accounts. */
  #namesIn({ request }: Exchange): (text: string) => string {
    const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(request.url) ?? [];
    const account = accountIn(request.url);
    const hostThere = isOfThisMachine(host) || host === '' ? host : placeholderIn(this.#hosts, host, 'host');
    const accountThere = account === undefined ? '' : placeholderIn(this.#accounts, account, 'account');
    const endOfHost =
      account !== undefined && host.toLowerCase().startsWith(`${account}.`) ? host.slice(account.length) : undefined;
    return (text) => {
      // In host style the name of the account is that of the host.
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

/** Other headers, such as those of programs, are left out. */
const keptRequestHeaders =
  /^(?:accept|accept-charset|authorization|content-type|content-id|dataserviceversion|maxdataserviceversion|if-match|prefer|x-http-method|x-ms-version|x-ms-date|date|content-md5|origin|access-control-request-.*)$/;
const keptResponseHeaders =
  /^(?:content-type|etag|location|dataserviceid|dataserviceversion|preference-applied|cache-control|x-content-type-options|x-ms-version|x-ms-error-code|x-ms-continuation-.*|server|access-control-.*|www-authenticate|retry-after)$/;

function headerValue(name: string, value: string, map: Rename): string {
  if (name.startsWith('x-ms-continuation-')) return map(value);
  if (name === 'origin' || name === 'access-control-allow-origin')
    return value === '*' ? value : 'https://page.example';
  return name === 'location' || name === 'dataserviceid' ? replaceInAddress(value, map) : value;
}

/** Placeholders in the order of the texts, by UTF-16 code units as keys are. */
function placeholdersFor(texts: ReadonlySet<string>): ReadonlyMap<string, string> {
  const sorted = [...texts].filter((text) => text !== '').sort();
  const digits = Math.max(3, String(sorted.length).length);
  return new Map(sorted.map((text, at) => [text, placeholderOf(text, `v${String(at + 1).padStart(digits, '0')}`)]));
}

/** Shorter texts may be ordinary words of a message. */
const repeatedCharsMin = 3;

function replaceInside(message: string, placeholders: ReadonlyMap<string, string>): string {
  let result = message;
  for (const [text, placeholder] of placeholders) {
    if (text.length >= repeatedCharsMin && message.includes(text)) result = result.replaceAll(text, placeholder);
  }
  return result;
}

const signsMax = 32;

/** Padded to the length of the text, if that is longer. */
function placeholderOf(text: string, name: string): string {
  const signs = text.replace(/[\p{L}\p{N}]/gu, '').slice(0, signsMax);
  return `${name}${signs}`.padEnd(text.length, 'x');
}

/** Literals and continuations of an address, or of a filter in one. */
function replaceInAddress(address: string, map: Rename): string {
  // Names of tables stay.
  if (/(?:^|\/)Tables(?:\(|%28|\?|$)/i.test(address)) return address;
  const withLiterals = address.replace(
    quoted,
    (literal, type: string = '', open: string, inner: string, close: string) => {
      if (/^datetime$/i.test(type)) return literal;
      const plain = decoded(inner).replaceAll("''", "'");
      if (/^(?:guid|binary|x)$/i.test(type)) return `${type}${open}${digits(plain)}${close}`;
      return `${type}${open}${encodeURIComponent(map(plain).replaceAll("'", "''")).replaceAll("'", '%27')}${close}`;
    },
  );
  return withLiterals.replace(
    /([?&]Next(?:PartitionKey|RowKey|TableName)=)([^&]*)/gi,
    (_, name: string, value: string) => name + encodeURIComponent(map(decoded(value))),
  );
}

const quoted = /(datetime|guid|binary|x)?('|%27)((?:[^'%&\s"<>]|%(?!27)[\dA-F]{2}|''|%27%27| )*)('|%27)/gi;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Hexadecimal digits that replace those of a value. */
function digits(text: string): string {
  const hash = createHash('sha256').update(text.toLowerCase()).digest('hex');
  let at = 0;
  return text.replace(/[\da-f]/gi, () => hash[at++ % hash.length] ?? '0');
}

/** Replaces in a body of JSON, XML or a batch. Any other body is a single value. */
function replaceInBody(text: string, map: Rename): string {
  if (!/^\s*--/.test(text)) return replaceInDocument(text, map);
  return text
    .split(/(^--[^\r\n]*\r?\n)/m)
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
  return addressed + replaceInDocument(part.slice(bodyAt), map);
}

function replaceInDocument(text: string, map: Rename): string {
  if (/^\s*\ufeff?\s*</.test(text)) return replaceInXml(text, map);
  if (/^\s*[[{"]/.test(text)) return replaceInJson(text, map);
  return text.trim() === '' ? text : map(text);
}

const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"(\s{0,64}:)?/g;
/** Members of the service, whose values are not personal. */
const keptMembers = /^(?:odata\.(?!id$|editLink$|nextLink$|metadata$).*|Timestamp|.*@odata\.type)$/;

/** Strings are found without parsing, so malformed JSON works too. */
function replaceInJson(text: string, map: Rename): string {
  const types = new Map<string, string>();
  for (const [, name = '', type = ''] of text.matchAll(
    /"([^"\\]{1,255})@odata\.type"\s{0,64}:\s{0,64}"(Edm\.\w{1,20})"/g,
  ))
    types.set(name, type);
  const isError = /"odata\.error"|"error"\s*:/.test(text.slice(0, 64));
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
      return value.replace(/\d/g, (digit, at: number) => (at === 0 ? digit : '1'));
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
  if (/<(?:\w{1,16}:)?error[\s>]/i.test(text.slice(0, 256))) return map.inside(text);
  return text
    .replace(/(<d:(\w{1,255})(?:\s[^>]{0,512})?>)([^<]*)(?=<\/d:)/g, (_, tag: string, name: string, value: string) =>
      /^(?:TableName|Timestamp)$/.test(name)
        ? tag + value
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
