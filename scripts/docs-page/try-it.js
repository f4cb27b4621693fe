// Sends the request that a form describes, and shows the response. The content of a response is added to the page only
// as text.
import { buildRequest } from './build-request.js';
import { canSign, controlToken, credentials, endpointOf, isServed } from './connect.js';
import { signRequest } from './sign.js';

/** With a longer text, the page would scroll slowly. */
const shownCharsMax = 100_000;

export function setUpForms() {
  if (!isServed) return;
  for (const panel of document.querySelectorAll('.try')) {
    panel.hidden = false;
    const form = panel.querySelector('form');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      send(panel, form);
    });
    form.querySelector('[data-operations]')?.addEventListener('change', () => fillOperation(form));
    form.querySelector('[data-part="type"]')?.addEventListener('change', () => fillExample(form));
    fillOperation(form);
  }
}

/**
 * Selects an operation in a form that several operations of one address share. Called when the user follows the link to
 * the operation.
 */
export function chooseOperation(article, name) {
  const choice = article.querySelector('[data-operations]');
  if (![...(choice?.options ?? [])].some(({ value }) => value === name)) return;
  choice.value = name;
  fillOperation(choice.form);
}

/** Sets the parameters of the chosen operation, and empties the parameters that only other operations have. */
function fillOperation(form) {
  const choice = form.querySelector('[data-operations]');
  if (!choice) return;
  const parametersOf = (option) => JSON.parse(option.dataset.parameters);
  const chosen = parametersOf(choice.selectedOptions[0]);
  const names = new Set([...choice.options].flatMap((option) => Object.keys(parametersOf(option))));
  for (const name of names) {
    const control = [...form.querySelectorAll('[data-name]')].find(
      ({ dataset }) => dataset.name.toLowerCase() === name.toLowerCase(),
    );
    control.value = chosen[name] ?? (name === 'endpoint' ? 'primary' : '');
  }
}

/** Shows the example of the chosen type, unless the user has typed a text. */
function fillExample(form) {
  const type = form.querySelector('[data-part="type"]');
  const body = form.querySelector('[data-part="body"]');
  const examples = [...type.options].map(({ dataset }) => dataset.example.trimEnd());
  if (examples.includes(body.value.trimEnd())) body.value = type.selectedOptions[0].dataset.example;
}

async function send(panel, form) {
  const status = panel.querySelector('.status');
  const result = panel.querySelector('.result');
  status.textContent = 'Sending…';
  result.replaceChildren();
  try {
    const request = await completeRequest(form);
    result.append(...renderRequest(request));
    const startMs = performance.now();
    const response = await fetch(request.url, { ...request, credentials: 'omit', cache: 'no-store' });
    const text = await response.text();
    const tookMs = Math.round(performance.now() - startMs);
    status.textContent = `${response.status} ${response.statusText}, ${tookMs} ms`;
    status.dataset.class = String(response.status)[0];
    result.append(...renderAnswer(response, text));
  } catch (error) {
    status.textContent = `The request was not sent: ${error.message}`;
    status.dataset.class = '5';
  }
}

async function completeRequest(form) {
  const fields = [...form.querySelectorAll('[data-part]')].map(({ dataset, value }) => ({
    part: dataset.part,
    name: dataset.name,
    value,
  }));
  const isSigned = 'signed' in form.dataset;
  const isSecondary = fields.some(({ part, value }) => part === 'endpoint' && value === 'secondary');
  const endpoint = isSigned ? endpointOf(isSecondary ? '-secondary' : '') : location.origin;
  const request = buildRequest({ path: form.dataset.path, endpoint, fields });
  return { ...request, headers: { ...request.headers, ...(await authorize(form, request.url)) } };
}

async function authorize(form, url) {
  if ('signed' in form.dataset) {
    if (!canSign) throw new Error('this browser signs only on pages of 127.0.0.1, localhost or https.');
    return signRequest(credentials(), { url, nowMs: Date.now() });
  }
  const token = 'token' in form.dataset ? controlToken() : '';
  return token === '' ? {} : { Authorization: `Bearer ${token}` };
}

function renderRequest({ method, url, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${url}`, ...lines].join('\n');
  return renderPart('Request', body ? `${head}\n\n${body}` : head);
}

function renderAnswer(response, text) {
  const headers = [...response.headers];
  const why = headers.find(([name]) => name === 'x-emulator-why')?.[1];
  const shown = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  const cut = text.length > shownCharsMax ? `\n… and ${text.length - shownCharsMax} characters more` : '';
  return [
    ...(why === undefined ? [] : renderWhy(why)),
    ...renderPart('Headers', shown),
    ...(text === '' ? [] : renderPart('Body', text.slice(0, shownCharsMax) + cut)),
  ];
}

/** The content of the header is a JSON array of sentences. */
function renderWhy(why) {
  return renderPart('Why it was refused (x-emulator-why)', JSON.parse(why).join('\n'));
}

function renderPart(title, text) {
  const heading = document.createElement('h4');
  heading.textContent = title;
  const content = document.createElement('pre');
  content.textContent = text;
  // With a tabIndex, the keyboard can scroll the content.
  content.tabIndex = 0;
  return [heading, content];
}
