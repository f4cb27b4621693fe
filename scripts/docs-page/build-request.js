/**
 * Returns the request that a form describes. `endpoint` does not end with a slash. `fields` are the controls of the
 * form. Each control describes a part of the request, and has a name and a value. Empty parameters and headers are left
 * out.
 */
export function buildRequest({ path, endpoint, fields }) {
  const valueIn = (part) => fields.find((field) => field.part === part)?.value ?? '';
  const givenIn = (part) => fields.filter((field) => field.part === part && field.value !== '');
  const query = givenIn('query').map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
  const address = fillPath(path, fields) + (query.length === 0 ? '' : `?${query.join('&')}`);
  const headers = Object.fromEntries(givenIn('header').map(({ name, value }) => [name, value]));
  if (valueIn('accept') !== '') headers.Accept = valueIn('accept');
  const content = readContent({ type: valueIn('type'), body: valueIn('body') });
  if (content.type !== undefined) headers['Content-Type'] = content.type;
  // The browser encodes some characters of the address, and the signature covers the encoded address. `new URL` encodes
  // the same characters as the browser.
  const { href } = new URL(endpoint + address);
  return { method: valueIn('verb'), url: href, headers, body: content.body };
}

/** A quote inside a quoted value is written twice. */
function fillPath(path, fields) {
  return path.replaceAll(/('?)\{(\w+)\}/g, (_, quote, name) => {
    const { value = '' } = fields.find((field) => field.part === 'path' && field.name === name) ?? {};
    return quote + encodeURIComponent(quote === '' ? value : value.replaceAll("'", "''"));
  });
}

/** In a multipart body, lines must end with CR LF. Its first line contains the boundary. */
function readContent({ type, body }) {
  if (body === '') return {};
  if (!type.startsWith('multipart/')) return { type, body };
  const boundary = /^--(\S+)/.exec(body)?.[1] ?? '';
  return { type: `${type}; boundary=${boundary}`, body: body.replaceAll(/\r?\n/g, '\r\n') };
}
