import { escapeHtml } from './html.mjs';

/** The account that Microsoft published for the storage emulator. Every emulator has it by default. */
const development = {
  account: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

const connectionString = `DefaultEndpointsProtocol=http;AccountName=${development.account};AccountKey=${development.key};TableEndpoint=http://127.0.0.1:10002/${development.account};`;
const curl = 'curl -H Accept:application/json "$(tanzanite connection-string --sas --table pets --url-only)"';

/**
 * Renders the first section of the page, which shows what a client needs to connect. The text contains the default
 * address. The page's script replaces the default address with the address of the page.
 */
export function renderConnect() {
  return `<section id="connect" class="intro"><h1>Connect</h1>
<h2>Connection string</h2>
${renderCopied('connection-string', 'the connection string', connectionString)}
<h2>curl</h2>
<p id="curl-note">Lists a table named pets. <code>tanzanite connection-string</code> signs the address.</p>
${renderCopied('curl-line', 'the curl line', curl)}
<form id="credentials" hidden autocomplete="off"><h2>Credentials</h2>
<p>The page signs what it shows above and what the forms below send. The key stays in the page; the token is sent only to the emulator.</p>
<div class="fields">${renderField({ id: 'account', label: 'Account', value: development.account })}
${renderField({ id: 'key', label: 'Key (base64)', value: development.key })}
${renderField({ id: 'token', label: 'Control token, if the emulator has one', type: 'password' })}</div></form>
<p id="no-signing" class="warning" hidden>This browser cannot sign here. Browsers offer cryptography only to pages of 127.0.0.1, localhost or https:
open the page at such an address, or sign with <code>tanzanite connection-string --sas</code>.</p></section>`;
}

const renderCopied = (id, what, text) =>
  `<div class="copied"><code id="${id}" tabindex="0">${escapeHtml(text)}</code><button type="button" data-copies="${id}" aria-label="Copy ${what}" hidden>Copy</button></div>`;

const renderField = ({ id, label, value = '', type = 'text' }) =>
  `<div class="field"><label for="${id}">${label}</label><input id="${id}" type="${type}" value="${escapeHtml(value)}" spellcheck="false" autocomplete="off"></div>`;
