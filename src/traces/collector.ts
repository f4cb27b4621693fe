// Reads the settings for sending spans. They come from an address or from OpenTelemetry's environment variables
// (OpenTelemetry specification, "OpenTelemetry Protocol Exporter" and "Environment Variable Specification"). Error
// messages never contain the value of a header or an address.

import { parseSampler, type Sampler } from './sampler.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Collector {
  readonly url: string;
  /** Headers of every request to the collector. They may contain a key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Attributes of the resource that the user sets. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: Sampler;
  /** HTTP methods that spans name. Others become `_OTHER`. */
  readonly methods: ReadonlySet<string>;
}

const defaultEndpoint = 'http://localhost:4318';
const timeoutMsDefault = 10_000;
const timeoutMsMax = 600_000;
/** The methods that the conventions know: those of RFC 9110, PATCH and QUERY. */
const knownMethods = 'CONNECT,DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT,QUERY,TRACE';

/**
 * Reads the settings. Returns undefined if the variables switch the export off. If a setting is invalid, throws an
 * Error that says what is wrong.
 */
export function readCollector(otlp: string, variables: Variables): Collector | undefined {
  if (otlp === 'env') return readVariables(variables);
  const { url, authorization } = splitCredentials(otlp, '--otlp');
  if (!url.pathname.endsWith(tracesPath)) appendPath(url);
  return {
    url: url.href,
    headers: { ...authorization },
    timeoutMs: timeoutMsDefault,
    resource: {},
    sampler: parseSampler(undefined, undefined),
    methods: new Set(knownMethods.split(',')),
  };
}

function readVariables(variables: Variables): Collector | undefined {
  /** As OpenTelemetry specifies, an empty variable counts as not set. */
  const read = (name: string): string | undefined => variables[name]?.trim() || undefined;
  /** The variable for traces takes precedence over the variable for every signal. */
  const ofTraces = (name: string): [name: string, value: string] | undefined => {
    for (const full of [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`]) {
      const value = read(full);
      if (value !== undefined) return [full, value];
    }
    return undefined;
  };
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (exporter === 'none') return undefined;
  if (!exporter.split(',').some((name) => name.trim() === 'otlp'))
    throw new Error(`OTEL_TRACES_EXPORTER is ${shown(exporter)}; --otlp env takes otlp, or none to send nothing.`);
  refuseOtherProtocol(ofTraces('PROTOCOL'));
  const { url, authorization } = readEndpoint(read);
  return {
    url: url.href,
    headers: {
      ...authorization,
      ...readHeaders('OTEL_EXPORTER_OTLP_HEADERS', read('OTEL_EXPORTER_OTLP_HEADERS')),
      ...readHeaders('OTEL_EXPORTER_OTLP_TRACES_HEADERS', read('OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    },
    timeoutMs: readTimeout(ofTraces('TIMEOUT')),
    resource: readResource(read),
    sampler: parseSampler(read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG')),
    methods: new Set(splitList(read('OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS') ?? knownMethods)),
  };
}

type Read = (name: string) => string | undefined;

const protocol = 'http/json';

function refuseOtherProtocol([name, value]: readonly [string, string] | [] = []): void {
  if (value === undefined || value === protocol) return;
  throw new Error(
    `${name} is ${shown(value)}; the emulator supports only ${protocol}. Set it to ${protocol} and the endpoint to the collector's HTTP address, usually on port 4318.`,
  );
}

const tracesPath = '/v1/traces';

interface Endpoint {
  readonly url: URL;
  readonly authorization: Readonly<Record<string, string>>;
}

function readEndpoint(read: Read): Endpoint {
  const ofTraces = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (ofTraces !== undefined) return splitCredentials(ofTraces, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const endpoint = splitCredentials(
    read('OTEL_EXPORTER_OTLP_ENDPOINT') ?? defaultEndpoint,
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  );
  appendPath(endpoint.url);
  return endpoint;
}

function appendPath(url: URL): void {
  url.pathname = url.pathname.replace(/\/*$/, tracesPath);
}

/** fetch refuses an address with a user name, so credentials become a header. */
function splitCredentials(address: string, name: string): Endpoint {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new Error(`${name} is not an address that begins with http:// or https://.`);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  if (username === '' && password === '') return { url, authorization: {} };
  const pair = [username, password].map((text) => decoded(text, name)).join(':');
  return { url, authorization: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

function readTimeout([name, value]: readonly [string, string] | [] = []): number {
  if (value === undefined) return timeoutMsDefault;
  if (/^\d{1,9}$/.test(value) && Number(value) >= 1) return Math.min(Number(value), timeoutMsMax);
  throw new Error(`${name} must be milliseconds, a whole number from 1.`);
}

/** `name=value,name=value`, percent-encoded as in the header Baggage. */
function readPairs(name: string, text: string): (readonly [string, string])[] {
  return splitList(text).map((pair, at) => {
    const split = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, split)).trim();
    if (key === '') throw new Error(`${name}: item ${at + 1} is not name=value.`);
    return [decoded(key, name), decoded(pair.slice(split + 1).trim(), name)];
  });
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Headers of the transport. A user cannot set them. */
const reserved = new Set(['content-type', 'content-length', 'host', 'connection', 'transfer-encoding', 'expect']);

function readHeaders(name: string, text = ''): Record<string, string> {
  const pairs = readPairs(name, text).map(([key, value], at) => {
    const header = key.toLowerCase();
    const isHeader = /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(header) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
    if (!isHeader || reserved.has(header)) throw new Error(`${name}: item ${at + 1} is not a header that can be sent.`);
    return [header, value];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

function readResource(read: Read): Record<string, string> {
  const name = 'OTEL_RESOURCE_ATTRIBUTES';
  const pairs = readPairs(name, read(name) ?? '');
  const serviceName = read('OTEL_SERVICE_NAME');
  return { ...Object.fromEntries(pairs), ...(serviceName !== undefined && { 'service.name': serviceName }) };
}

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`${name} holds a % that begins no percent-encoding.`);
  }
}

/** Shows the value of a variable that holds no secret. */
const shown = (value: string): string => JSON.stringify(value.slice(0, 64));
