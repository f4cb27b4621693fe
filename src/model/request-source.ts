// What the headers and the socket of a request say about where it comes from. A page can make a browser send requests to the
// loopback address, and a proxy forwards anyone's requests, so the address of the socket alone proves nothing.

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

/** Whether a header says that a proxy forwarded the request. A proxy that adds none of these headers looks like the sender. */
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

/** The header that shows a page of another origin as the sender; undefined if none does. */
export function foreignPageHeader({ host, origin, fetchSite }: PageHeaders): 'Sec-Fetch-Site' | 'Origin' | undefined {
  // Another port of this machine is the same site: its pages can send a GET without an Origin.
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

/** The emulator's own headers, which a page of another origin must never send: a fault rule, and the control token with it. */
export const faultHeader = 'x-emulator-fault';
export const tokenHeader = 'x-emulator-token';
