// What the headers and the socket of a request say about its sender. A web page can make a browser send requests to the
// loopback address, and a proxy can forward requests of any sender. So the address of the socket alone proves nothing.

/** An IPv4 or IPv6 address of this machine. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

/**
 * Names in lower case, as Node gives them: Forwarded (RFC 7239), Via (RFC 9110), CDN-Loop (RFC 8586), and the non-standard ones of
 * nginx, Apache, Envoy, IIS, Azure, Cloudflare, Akamai, Fastly, Amazon CloudFront, Google App Engine and Tailscale.
 */
const proxyHeader =
  /^(?:forwarded|via|cdn-loop|x-scheme|x-nginx-proxy|x-amz-cf-id|(?:x-forwarded|x-original|x-proxy|x-envoy|x-arr|x-appengine|cf|tailscale)(?:-.+)?|(?:.+-)?(?:client|connecting|real|remote|originating|proxyuser|socket)-?(?:ip|addr))$/;

/**
 * Whether a header says that a proxy forwarded the request. A proxy that adds none of these headers is not recognized.
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
  // `same-site` is refused too: it includes pages from other ports of this machine, which can send a GET without an
  // Origin.
  if (fetchSite !== undefined && !/^(?:same-origin|none)$/i.test(fetchSite)) return 'Sec-Fetch-Site';
  return origin === undefined || isOriginOf(origin, host) ? undefined : 'Origin';
}

/** Longer than any host name with its port. */
const authorityCharsMax = 512;

/** Whether an origin, as browsers write it, has the same host and port as a Host header. The origin `null` has no host. */
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
 * The emulator's own headers: a fault rule, and the control token for it. A page of another origin must not send them.
 */
export const faultHeader = 'x-emulator-fault';
export const tokenHeader = 'x-emulator-token';
