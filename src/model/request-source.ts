// Determines what the headers and the socket of a request say about its sender. The address of the socket alone proves
// nothing: a web page can make a browser send requests to the loopback address, and a proxy can forward requests of any
// sender.

/** An IPv4 or IPv6 address of this machine. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

/**
 * Matches the names of headers that proxies add. Node gives all names in lower case. The matched names are Forwarded
 * (RFC 7239), Via (RFC 9110), CDN-Loop (RFC 8586), and the non-standard names of nginx, Apache, Envoy, IIS, Azure,
 * Cloudflare, Akamai, Fastly, Amazon CloudFront, Google App Engine and Tailscale.
 */
const proxyHeader =
  /^(?:forwarded|via|cdn-loop|x-scheme|x-nginx-proxy|x-amz-cf-id|(?:x-forwarded|x-original|x-proxy|x-envoy|x-arr|x-appengine|cf|tailscale)(?:-.+)?|(?:.+-)?(?:client|connecting|real|remote|originating|proxyuser|socket)-?(?:ip|addr))$/;

/**
 * Whether a header says that a proxy forwarded the request. A proxy is not recognized if it adds no header that
 * `proxyHeader` matches.
 */
export function isForwarded(headers: Readonly<Record<string, unknown>>): boolean {
  for (const name in headers) if (proxyHeader.test(name)) return true;
  return false;
}

/** The headers by which a browser says which page sent a request. */
export interface PageHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site. */
  readonly fetchSite: string | undefined;
}

/** The header that shows that a page of another origin sent the request; undefined if no header does. */
export function foreignPageHeader({ host, origin, fetchSite }: PageHeaders): 'Sec-Fetch-Site' | 'Origin' | undefined {
  // `same-site` is refused too, because it includes pages from other ports of this machine. Such a page can send a GET
  // request without an Origin.
  if (fetchSite !== undefined && !/^(?:same-origin|none)$/i.test(fetchSite)) return 'Sec-Fetch-Site';
  return origin === undefined || isOriginOf(origin, host) ? undefined : 'Origin';
}

/** Longer than any host name with its port. */
const authorityCharsMax = 512;

/**
 * Whether `origin` is in the form that browsers write, and names the host and port of the Host header. The origin
 * `null` names no host.
 */
function isOriginOf(origin: string, host: string | undefined): boolean {
  if (host === undefined || host.length > authorityCharsMax || origin.length > authorityCharsMax) return false;
  if (!/^https?:\/\//i.test(origin) || /[\s/?#@\\]/.test(host)) return false;
  const page = parseUrl(origin);
  if (page?.origin !== origin.toLowerCase()) return false;
  // The scheme's default port may be left out; an IPv6 address may be written in several ways.
  return parseUrl(`${page.protocol}//${host}`)?.host === page.host;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * The emulator's own headers: `x-emulator-fault` contains a fault rule, and `x-emulator-token` contains the control
 * token. A page of another origin must not send these headers.
 */
export const faultHeader = 'x-emulator-fault';
export const tokenHeader = 'x-emulator-token';
