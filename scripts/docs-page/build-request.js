/**
 * The request that a form describes. `endpoint` has no slash at its end. `fields` are the controls; each holds a part of the
 * request, with its name and value. An empty parameter or header is left out.
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
  // As the browser sends it: the browser encodes some characters, and the signature covers the encoded address.
  const { href } = new URL(endpoint + address);
  return { method: valueIn('verb'), url: href, headers, body: content.body };
}

/** Quotes inside a quoted value are doubled. */
function fillPath(path, fields) {
  return path.replaceAll(/('?)\{(\w+)\}/g, (_, quote, name) => {
    const { value = '' } = fields.find((field) => field.part === 'path' && field.name === name) ?? {};
    return quote + encodeURIComponent(quote === '' ? value : value.replaceAll("'", "''"));
  });
}

/** The lines of a multipart body end with CR LF, and its first line has the boundary. */
function readContent({ type, body }) {
  if (body === '') return {};
  if (!type.startsWith('multipart/')) return { type, body };
  const boundary = /^--(\S+)/.exec(body)?.[1] ?? '';
  return { type: `${type}; boundary=${boundary}`, body: body.replaceAll(/\r?\n/g, '\r\n') };
}
