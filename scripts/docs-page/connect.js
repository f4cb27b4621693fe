import { signAccountSas } from './sign.js';

const hourMs = 3_600_000;
const byId = (id) => document.getElementById(id);
const inputOf = (id) => byId(id).value.trim();

export const canSign = globalThis.crypto?.subtle !== undefined;
/** False if the page was saved as a file: then there is no emulator to send requests to. */
export const isServed = /^https?:$/.test(location.protocol);

export const credentials = () => ({ account: inputOf('account'), key: inputOf('key') });
export const controlToken = () => inputOf('token');

/** The account's table endpoint. The account is in the path, unless the host name begins with it. */
export function endpointOf(suffix = '') {
  const { account } = credentials();
  if (location.hostname.startsWith(`${account}.table.`)) return location.origin;
  return `${location.origin}/${encodeURIComponent(account)}${suffix}`;
}

export function setUpConnect() {
  for (const button of document.querySelectorAll('[data-copies]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
  if (!isServed) return;
  byId('credentials').hidden = false;
  byId('credentials').addEventListener('input', show);
  byId('credentials').addEventListener('submit', (event) => event.preventDefault());
  byId('no-signing').hidden = canSign;
  return show();
}

async function show() {
  const { account, key } = credentials();
  const scheme = location.protocol.slice(0, -1);
  byId('connection-string').textContent =
    `DefaultEndpointsProtocol=${scheme};AccountName=${account};AccountKey=${key};TableEndpoint=${endpointOf()};`;
  if (canSign) await showCurl(scheme);
}

async function showCurl(scheme) {
  const expiresMs = Date.now() + hourMs;
  const until = new Date(expiresMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  try {
    const signature = await signAccountSas(credentials(), { expiresMs });
    // curl seldom trusts the certificate of an emulator.
    const trust = scheme === 'https' ? '--insecure ' : '';
    byId('curl-line').textContent =
      `curl ${trust}-H "Accept: application/json;odata=nometadata" "${endpointOf()}/Tables?${signature}"`;
    byId('curl-note').textContent =
      `Lists the tables. The signature allows everything on the account's tables until ${until}.`;
  } catch {
    byId('curl-line').textContent = '';
    byId('curl-note').textContent = 'The key is not base64.';
  }
}

/** Copies a text. A page without a secure context has no clipboard; there, the text is selected instead. */
async function copy(button) {
  if (isServed) await show();
  const source = byId(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}
